// Every text of the console. The other languages have the same words, which their type checks.
export const en = {
  // Pages.
  overview: "Overview", events: "Events", event: "Event", deadLetters: "Dead letters", occurrences: "Upcoming", schedules: "Schedules", newSchedule: "New schedule", people: "People",
  endpoints: "Endpoints", operations: "Operations", streams: "Streams", locks: "Locks", zones: "Time zones", instances: "Instances", keys: "API keys", pages: "Pages", notFound: "This page does not exist.",

  // The frame of every page.
  settings: "Display", skipToContent: "Skip to content", loading: "Loading…", nothing: "Nothing here.", stale: "These data may be out of date.", since: "since",
  unreachable: "The server does not answer. This page tries again by itself.", noDatabase: "The server cannot reach its database. This page tries again by itself.", unknownError: "The server refused this.",
  timesIn: "Times in", target: "Target zone", viewer: "My zone", theme: "Theme", auto: "System", dark: "Dark", light: "Light", language: "Language", readOnly: "Read only",
  keyWanted: "This server requires an API key", keyHint: "The browser gets a cookie that no script can read. The key itself is not kept.", keyRefused: "The server does not know this key, or the browser refused its cookie.", sessionEnded: "Your session has ended", sessionEndedHint: "The session or its key has expired, or the key was revoked. The last request was not carried out.",
  apiKey: "API key", signIn: "Log in", signOut: "Log out", shortcuts: "Keyboard", focusSearch: "Search", thisHelp: "This list",

  // Lists and forms.
  columns: "Columns", apply: "Apply", clear: "Clear", next: "Next page", first: "First page", any: "any", select: "Select", selectAll: "Select all on this page", selected: "{n} selected", wholeFilter: "Whole filter",
  search: "Id or key begins with", searchName: "Name or id begins with", searchId: "Id begins with", searchZone: "Name contains", actions: "Actions", copy: "Copy", copied: "Copied", show: "Show", asTable: "As a table",

  // Members of objects.
  name: "Name", type: "Type", status: "Status", due: "Due", zone: "Zone", priority: "Priority", endpoint: "Endpoint", user: "Person", schedule: "Schedule", attempts: "Attempts", reason: "Reason", lateness: "Late by",
  key: "Key", id: "Id", created: "Created", executed: "Executed", nextAttempt: "Next attempt", waitingFor: "Waits for", retryOf: "Retry of", dismissed: "Dismissed", executedFrom: "Ended from", executedTo: "Ended before", dueFrom: "Due from", dueTo: "Due before",
  from: "From", before: "Before", until: "Until now", version: "Version", note: "Note", url: "Address", timeout: "Time-out", retryPolicy: "Retries", rateLimit: "Limit", secret: "Secret", publicKey: "Public key", inFlight: "In flight",
  circuit: "Circuit", failureShare: "Failures", failuresNow: "{percent} % in the window of its circuit breaker", probe: "next probe", disabledReason: "Disabled because", number: "Number", begun: "Started", duration: "Duration", answer: "Response", body: "Body", instance: "Instance",
  ofTotal: "{n} of {total}", count: "Count", oldest: "Oldest", newest: "Newest", samples: "Examples", progress: "Progress", finished: "Finished", errors: "Errors", holder: "Holder", acquired: "Acquired", expires: "Expires", fencingToken: "Fencing token",
  recorded: "Recorded", actor: "By", data: "Data", roles: "Roles", role: "Role", reported: "Last seen", clockSkew: "Clock off by", lastClaim: "Last claim", lastUsed: "Last used", offset: "Offset", changesNone: "It affects no occurrence on that day.", nextChange: "Next change of clocks", born: "Born", birthMonth: "Month of birth", birthDay: "Day of birth",
  externalId: "Own id", effect: "Remarks", history: "History", enabled: "Enabled", deleted: "Deleted", archived: "Archived", erased: "Erased", skipped: "Skipped", payload: "Payload",

  // Overview.
  ready: "Ready", notReady: "Not ready", checks: "Checks", figures: "Figures", window: "Over the last", overdue: "Overdue", pending: "Pending", processing: "In progress", openCircuits: "Open circuits", noOpenCircuit: "No circuit is open.",
  completed: "Completed", failed: "Failed", retried: "Retried", throughput: "Throughput", perSecondValue: "{n} per second", latenessOf: "Lateness", nothingStarted: "Nothing started in this time.", oldestDue: "Oldest overdue event", noneDue: "Nothing is overdue.",
  catchUp: "Caught up in", throughputChart: "Events", executedChart: "Completed", latest: "latest", most: "highest", nextTen: "Next ten events", server: "Server", database: "Database", tz: "Time zone release", clock: "Clock",
  testClock: "Test clock", systemClock: "System clock", atLeast: "{n} or more",
  schedulesBehind: "Schedules behind", fallingBehind: "Falling behind", behindBy: "{expects} events are expected in an hour, and it finishes {finishes}.", disabledEndpoints: "Disabled endpoints", waitingEvents: "Waiting events",
  lateEndpoints: "Late endpoints in the last hour", noneLate: "Every endpoint's events started on time.", lateSince: "Late since", onTimeAgain: "on time again", heldBack: "{n} planned events of the next 24 hours would wait until it is enabled, {overdue} of them overdue now. Attempts under way end.", waitingRetries: "Events that wait for their next attempt, and would go on waiting: {n}.", withLater: "Together with later occurrences of its schedules, about {n} events would wait after 24 hours.", behind: "Schedules that are behind: {n}. Each has one overdue event. Its misfire rule decides which missed occurrences follow.",
  calendars: "Calendar feeds", addCalendar: "Create feed", addCalendarHint: "A calendar program reads the feed by its address alone. Revoke it to end that.",

  // Timeline.
  timeline: "Timeline", timelineHint: "Events by the hour: finished ones and those that are expected. Select a cell to list its events.", otherLines: "All others", pastCells: "Finished", forecastCells: "Expected",
  nowLine: "Now", overLegend: "Above the endpoint's limit", hoursIn: "Hours in {zone}", moreLines: "{n} quieter lines are in the table only.", onlyNextForecast: "Schedules of persons count with the next event of each person only.",
  pastSum: "{n} events finished.", forecastSum: "{n} events are expected until", forecastCut: "More events are planned than the forecast counts. Hours after its end are unknown.", notCounted: "not counted", mostIn: "Most: {n} ({line}, {hour}).", overCells: "Hours above the limit of their endpoint: {n}. Their events will be late.",
  finishedCount: "{n} finished", expectedCount: "{n} expected", overLimit: "above the limit of {n}", perHour: "limit {n} an hour", finishedEvents: "Finished events",
  plannedEvents: "Planned events", laterOccurrences: "Later occurrences of schedules", expected: "Expected", allOfThese: "All in this hour", otherHint: "The API has no filter for these events. All events of this hour are listed.",
  spread: "Spread by jitter", nothingToSpread: "No hour exceeds an endpoint's limit, and no zone has a peak at 09:00.", showHour: "Show this hour", spreadLimit: "expects {n} events at {hour}. Its limit allows {against} an hour. A jitter of {jitter} on its schedules spreads them to {after} an hour.", spreadNine: "has a peak at 09:00: {n} events at {hour}, {against} in other hours on average. A jitter of {jitter} on their schedules spreads them to {after} an hour.",
  moreSchedules: "More than 10,000 schedules are enabled. The later occurrences of the others are missing.", tableCut: "Only the first {n} rows are shown.",

  // Event.
  why: "Why then", whyText: "From the rule to the result", noAttempts: "No attempt yet.", rule: "Rule", local: "Local time", zoneStep: "Zone", utc: "UTC", change: "Change", attempt: "Attempt", result: "Result", waits: "Now",
  attemptNumber: "Attempt {n}", newTime: "New local time",

  // Actions.
  retry: "Retry now", fire: "Send now", reschedule: "Reschedule", edit: "Edit payload", cancel: "Cancel event", dismiss: "Dismiss", bulkRetry: "Retry", bulkCancel: "Cancel", bulkDismiss: "Dismiss", confirm: "Do it", close: "Close", create: "Create",
  countedApply: "This applies to {n} events.", counting: "Counting…", notKnown: "How many events would wait is not known.", countAgain: "Count again", started: "{status}, {done} of {total} done, {failed} failed.", operation: "Operation", perSecond: "Events per second, at most", cannotUndo: "This cannot be undone.",
  sameAs: "The same by curl and by command", done: "Done.", stop: "Stop", stopHint: "The finished part stays. The rest is not done.", drain: "Drain", drainHint: "The process finishes the {n} events that it holds, and ends.",
  test: "Send a test", testHint: "Sends one request of type sundial.test, which is stored nowhere.", rotateSecret: "Rotate secret", rotateHint: "The old secret keeps signing for 24 hours beside the new one.", firstSecretHint: "It has no secret yet. From now on its requests are signed.", signature: "Signature", timestampAge: "timestamp {time} before arrival", shownOnce: "Shown once. Copy it now.",
  enable: "Enable", disable: "Disable", closeCircuit: "Close circuit", pause: "Pause", pauseHint: "Planned events wait until the schedule is resumed.", resume: "Resume", trigger: "Trigger now", triggerHint: "Creates one event that is due now.", backfill: "Backfill",
  reference: "API reference", parameters: "Parameters", responses: "Responses", requestBody: "Body", searchPath: "Method or path contains",
  views: "Saved views", viewName: "Name of this view", save: "Save", remove: "Remove", exportAs: "Export as {format}", exported: "Exported {n} events.", exportedPart: "Only the first {n} events were exported.",
  inbox: "Inbox", clearInbox: "Empty inbox", advance: "Advance the clock", advanced: "{delivered} delivered, {failed} failed.",
  inboxAndClock: "Inbox and clock", systemClockHint: "This server uses the system's clock. A server with a clock that you can move:", noInbox: "No endpoint is an inbox.", sliderReach: "The slider ends", sliderTo: "Move the clock to", dueOnTheWay: "They are due until then. Schedules may plan more on the way.",
  createKey: "Create key", revoke: "Revoke", needsAdmin: "Only keys with the role ADMIN see this page.",

  // Dead letters, locks, schedules.
  deadLettersHint: "Events that failed for good and were not dismissed.", groupBy: "Group by", byReason: "By reason", byEndpoint: "By endpoint", noEndpoint: "No endpoint", moreThere: "Only the latest {n} were grouped.", total: "Events in all: {n}.",
  latestAttempts: "Latest attempts", locksHint: "The holder releases a lock with its token. Otherwise it ends with its lease.", nextDue: "Next", ofEachUser: "of each person", perUserHint: "Each person has occurrences of their own.",
  onlyNext: "Schedules of persons may fire more than once in this time. Only the next occurrence of each person is listed.", onDisk: "on disk", moved: "Events that the release on disk moves",
  gap: "Local time that does not exist", overlap: "Local time that occurs twice", leap: "29 February in common years", misfire: "Missed while nothing ran", concurrency: "At the same time", jitter: "Jitter", preview: "Preview", previewHint: "Give a rule to see when it fires.",
  pausedBy: "Paused by", noneWhilePaused: "none while it is paused", wouldBe: "It is paused. If it were resumed now, these occurrences would follow.",
  nearestWeekday: "Nearest weekday",
  showFrom: "Show from", cronRule: "Cron expression", yearlyOn: "Date (MM-DD)", yearlyAt: "Time of day", dtstart: "First local time", rruleRule: "RRULE", everyRule: "Elapsed time",

  // Edits, bulk changes of schedules and events, people, settings.
  timeLeft: "about {time} left", lastHour: "The last hour", successRatio: "{percent} % succeeded: {good} of {n}.",
  liveChanges: "Changes of users, schedules and endpoints, live", noChangeYet: "None since this page was opened.", changed: "Changed",
  firstOfEach: "Only the first {n} occurrences of the first {m} schedules.",
  tags: "Tags", tag: "Tag", editSchedule: "Edit", saveChanges: "Save", deleteSchedule: "Delete", deleteScheduleHint: "Its planned events are cancelled. Finished events stay.", whatChanges: "What changes", nothingChanges: "Nothing yet.",
  incomplete: "The rule is incomplete, or the payload is not JSON.", member: "Member", was: "Was", becomes: "Becomes", isNow: "Is now", yours: "Yours", conflict: "Another user has changed this schedule since you began.",
  bothChanged: "changed by both", keepMine: "Keep my changes, on top of these", discardMine: "Discard my changes", stays: "stays", goes: "goes", comes: "comes",
  comparedSum: "Of the next occurrences {stays} stay, {goes} go, {comes} come.", ical: "iCalendar text", icalRule: "DTSTART, RRULE, RDATE, EXDATE", rdates: "Further dates (RDATE)", exdates: "Dates left out (EXDATE)",
  misfireWindow: "Fires late for at most", startsAt: "Starts", endsAt: "Ends", allow: "allowed", forbid: "forbidden", schedulesCounted: "This applies to {n} schedules.",
  bulkReschedule: "Reschedule", moveHow: "Move", moveBy: "by a duration", moveTo: "to a local time", amount: "How much (negative: earlier)",
  unit: "Unit", minutes: "minutes", hours: "hours", days: "days of 24 hours", newLocal: "Local time in the zone of each event", dismissalNote: "Dismissed because", configuration: "Settings",
  configurationHint: "The settings with which the answering process was started. Secrets are hidden.", allSettings: "All", givenSettings: "Changed from the default", setting: "Setting", value: "Value", origin: "From",
  byDefault: "default", fiveYears: "The next five years", dates: "Dates", whatIf: "What if they move to …", movePerson: "Move", movesBy: "Moves by", sameRelease: "The database in use is the one on disk. Nothing would move.",
  movesNothing: "The release on disk moves no event.", touched: "Touches", eventsAround: "Events around the change", recover: "Recover a window", recoverHint: "Retries the dead letters that failed in this time, at a pace.",
  failedFrom: "Failed from",
  changeTags: "Change tags", bulkDelete: "Delete", addTags: "Add tags, with commas", removeTags: "Remove tags, with commas",
  countedTogether: "With more than 100 endpoints in a minute, some are counted together. Some of these deliveries may be missing here.",
  inboxAnswer: "How it answers", inboxAnswerHint: "Let this inbox fail or be slow, to see retries, circuits and dead letters.", after: "After", answerSo: "Answer like this",
  audit: "Who did what", changesOfSettings: "Changes of settings", noAudit: "No action is recorded yet.", action: "Action", dismissedBy: "Dismissed by",

  // Values of the API.
  EventCancelled: "Cancelled", EventChanged: "Changed", EventDismissed: "Dismissed", EventRestored: "Dismissal undone", EventRetried: "Retried", EventTriggered: "Triggered", BulkStarted: "Bulk action started", BackfillStarted: "Backfill started", CircuitClosed: "Circuit closed", WaitingRetried: "Waiting events retried", EndpointTested: "Test sent", DrainRequested: "Drain requested", OperationStopped: "Stopped",
  PENDING: "Pending", PROCESSING: "In progress", COMPLETED: "Completed", FAILED: "Failed", CANCELLED: "Cancelled", OPEN: "Open", HALF_OPEN: "Probing", CLOSED: "Closed", RUNNING: "Running", STOPPED: "Stopped", DRAINING: "Draining", SILENT: "Silent", WAITS_RETRY: "Waits: next attempt", WAITS_CIRCUIT: "Waits: circuit open", WAITS_LIMIT: "Waits: limit reached", WAITS_ENDPOINT: "Waits: endpoint disabled",
  VALID: "Valid", INVALID: "Invalid", MISSING: "Not signed", CURRENT: "by the current secret", PREVIOUS: "by a replaced secret",
  pass: "Passed", warn: "Warning", fail: "Failed", SUCCEEDED: "Succeeded", RETRYABLE: "Failed, can be retried", PERMANENT: "Failed for good", LOST: "Lost", LATE: "Too late", RELEASED: "Released", disabled: "Disabled", paused: "Paused",
  CRITICAL: "Critical", HIGH: "High", NORMAL: "Normal", LOW: "Low", PLAN_SCHEDULE: "Plan a schedule", REPLAN_SCHEDULE: "Replan a schedule", BACKFILL_SCHEDULE: "Backfill a schedule", BULK: "Bulk action",
  RETRY: "Next attempt", CIRCUIT: "Circuit", LIMIT: "Limit", ENDPOINT: "Endpoint", SCHEDULE: "Schedule", true: "Yes", false: "No",
  cron: "Cron", yearly: "Yearly", rrule: "Calendar rule (RRULE)", every: "Every so often", compatible_gap: "later, as calendars do", compatible_overlap: "first, as calendars do", earlier: "earlier", later: "later", boundary: "at the change", skip: "skip", both: "both times",
  feb28: "28 February", mar1: "1 March", once: "once", all: "all", gap_earlier: "Does not exist, moved earlier", gap_later: "Does not exist, moved later", gap_boundary: "Does not exist, moved to the change", gap_skipped: "Does not exist, skipped",
  overlap_earlier: "Occurs twice, first time", overlap_later: "Occurs twice, second time", overlap_skipped: "Occurs twice, skipped", leap_moved: "29 February, moved", leap_skipped: "29 February, skipped", offset_changed: "First at a new offset",
};
export type Texts = typeof en;
export type Word = keyof Texts;

import type { Texts } from "./en.ts";

export const de: Texts = {
  overview: "Übersicht", events: "Ereignisse", event: "Ereignis", deadLetters: "Unzustellbare", occurrences: "Nächste Termine", schedules: "Zeitpläne", newSchedule: "Neuer Zeitplan", people: "Personen",
  endpoints: "Endpunkte", operations: "Vorgänge", streams: "Streams", locks: "Sperren", zones: "Zeitzonen", instances: "Instanzen", keys: "API-Schlüssel", pages: "Seiten", notFound: "Diese Seite gibt es nicht.",

  settings: "Anzeige", skipToContent: "Zum Inhalt", loading: "Lädt…", nothing: "Nichts vorhanden.", stale: "Die Anzeige ist vielleicht veraltet.", since: "seit",
  unreachable: "Der Server antwortet nicht. Diese Seite versucht es von selbst wieder.", noDatabase: "Der Server erreicht seine Datenbank nicht. Diese Seite versucht es von selbst wieder.", unknownError: "Der Server hat das abgelehnt.",
  timesIn: "Zeiten in", target: "Zielzone", viewer: "Meine Zone", theme: "Farben", auto: "System", dark: "Dunkel", light: "Hell", language: "Sprache", readOnly: "Nur lesen",
  keyWanted: "Dieser Server verlangt einen API-Schlüssel", keyHint: "Der Browser erhält ein Cookie, das kein Skript lesen kann. Der Schlüssel selbst wird nicht behalten.", keyRefused: "Der Server kennt diesen Schlüssel nicht, oder der Browser hat das Cookie abgelehnt.",
  apiKey: "API-Schlüssel", signIn: "Anmelden", signOut: "Abmelden", shortcuts: "Tastatur", focusSearch: "Suchen", thisHelp: "Diese Liste",

  columns: "Spalten", apply: "Anwenden", clear: "Leeren", next: "Nächste Seite", first: "Erste Seite", any: "alle", select: "Auswählen", selectAll: "Alle auf dieser Seite auswählen", selected: "{n} ausgewählt", wholeFilter: "Ganzer Filter",
  search: "Id oder Schlüssel beginnt mit", searchName: "Name oder Id beginnt mit", searchId: "Id beginnt mit", searchZone: "Name enthält", actions: "Aktionen", copy: "Kopieren", copied: "Kopiert", show: "Zeigen", asTable: "Als Tabelle",

  name: "Name", type: "Typ", status: "Status", due: "Fällig", zone: "Zone", priority: "Priorität", endpoint: "Endpunkt", user: "Person", schedule: "Zeitplan", attempts: "Versuche", reason: "Grund", lateness: "Verspätung",
  key: "Schlüssel", id: "Id", created: "Angelegt", executed: "Ausgeführt", nextAttempt: "Nächster Versuch", waitingFor: "Wartet auf", retryOf: "Wiederholt", dismissed: "Abgelegt", dueFrom: "Fällig ab", dueTo: "Fällig vor",
  from: "Ab", before: "Vor", until: "Bisher", version: "Version", note: "Notiz", url: "Adresse", timeout: "Zeitgrenze", retryPolicy: "Wiederholungen", rateLimit: "Grenze", secret: "Geheimnis", publicKey: "Öffentlicher Schlüssel", inFlight: "Unterwegs",
  circuit: "Circuit-Breaker", failureShare: "Fehlschläge", probe: "nächste Probe", disabledReason: "Abgeschaltet wegen", number: "Nummer", begun: "Begonnen", duration: "Dauer", answer: "Antwort", body: "Inhalt", instance: "Instanz",
  count: "Anzahl", oldest: "Ältestes", newest: "Neuestes", samples: "Beispiele", progress: "Fortschritt", finished: "Beendet", errors: "Fehler", holder: "Inhaber", acquired: "Erworben", expires: "Läuft ab", fencingToken: "Fencing-Token",
  recorded: "Festgehalten", actor: "Durch", data: "Daten", roles: "Rollen", role: "Rolle", reported: "Gemeldet", clockSkew: "Uhr", lastUsed: "Zuletzt benutzt", offset: "Abstand zu UTC", nextChange: "Nächste Zeitumstellung", born: "Geboren", birthMonth: "Geburtsmonat", birthDay: "Geburtstag (Tag)",
  externalId: "Eigene Id", effect: "Zeitumstellung", history: "Verlauf", enabled: "Eingeschaltet", deleted: "Gelöscht", archived: "Archiviert", erased: "Entfernt", skipped: "Ausgelassen", payload: "Nutzdaten",

  ready: "Bereit", notReady: "Nicht bereit", checks: "Prüfungen", figures: "Zahlen", window: "In den letzten", overdue: "Überfällig", pending: "Geplant", processing: "In Arbeit", openCircuits: "Offene Circuit-Breaker", noOpenCircuit: "Kein Circuit-Breaker ist offen.",
  completed: "Erledigt", failed: "Gescheitert", retried: "Wiederholt", throughput: "Durchsatz", perSecondValue: "{n} pro Sekunde", latenessOf: "Verspätung", nothingStarted: "In dieser Zeit hat nichts begonnen.", oldestDue: "Ältestes überfälliges Ereignis", noneDue: "Nichts ist überfällig.",
  catchUp: "Aufgeholt in", throughputChart: "Ereignisse", executedChart: "Erledigt", latest: "zuletzt", most: "höchstens", nextTen: "Die nächsten zehn Ereignisse", server: "Server", database: "Datenbank", tz: "Zeitzonendaten", clock: "Uhr",
  testClock: "Testuhr", systemClock: "Systemuhr", atLeast: "{n} oder mehr",

  timeline: "Zeitleiste", timelineHint: "Ereignisse nach Stunden: beendete und erwartete. Eine Zelle wählen, um ihre Ereignisse zu sehen.", otherLines: "Alle anderen", pastCells: "Beendet", forecastCells: "Erwartet",
  nowLine: "Jetzt", overLegend: "Über der Grenze des Endpunkts", hoursIn: "Stunden in {zone}", moreLines: "{n} ruhigere Zeilen stehen nur in der Tabelle.", onlyNextForecast: "Zeitpläne für Personen zählen nur mit dem nächsten Ereignis jeder Person.",
  pastSum: "{n} Ereignisse beendet.", forecastSum: "{n} Ereignisse erwartet.", forecastEnds: "bis", forecastCut: "Es sind mehr Ereignisse geplant, als die Vorhersage zählt. Stunden nach ihrem Ende sind unbekannt.", notCounted: "nicht gezählt", mostIn: "Am meisten: {n}, {line}, {hour}.", overCells: "Stunden über der Grenze ihres Endpunkts: {n}. Ihre Ereignisse werden sich verspäten.",
  finishedCount: "{n} beendet", expectedCount: "{n} erwartet", overLimit: "über der Grenze von {n}", perHour: "Grenze {n} pro Stunde", finishedEvents: "Beendete Ereignisse",
  plannedEvents: "Geplante Ereignisse", laterOccurrences: "Spätere Termine von Zeitplänen", expected: "Erwartet", allOfThese: "Alle in dieser Stunde", otherHint: "Die API hat keinen Filter für diese Ereignisse. Alle Ereignisse dieser Stunde sind aufgeführt.",
  spread: "Durch Streuung verteilen", nothingToSpread: "Keine Stunde überschreitet die Grenze eines Endpunkts, und keine Zone hat eine Spitze um 09:00.", showHour: "Diese Stunde zeigen", spreadLimit: "erwartet {n} Ereignisse um {hour}. Die Grenze erlaubt {against} pro Stunde. Eine Streuung (jitter) von {jitter} in den Zeitplänen verteilt sie auf {after} pro Stunde.", spreadNine: "hat eine Spitze um 09:00: {n} Ereignisse um {hour}, sonst im Mittel {against} pro Stunde. Eine Streuung (jitter) von {jitter} in den Zeitplänen verteilt sie auf {after} pro Stunde.",
  tableCut: "Nur die ersten {n} Zeilen sind gezeigt.",

  why: "Warum dann", whyText: "Von der Regel zum Ergebnis", noAttempts: "Noch kein Versuch.", rule: "Regel", local: "Ortszeit", zoneStep: "Zone", utc: "UTC", change: "Änderung", attempt: "Versuch", result: "Ergebnis", waits: "Jetzt",
  attemptNumber: "Versuch {n}", newTime: "Neue Ortszeit",

  retry: "Jetzt wiederholen", fire: "Jetzt senden", reschedule: "Verschieben", edit: "Nutzdaten ändern", cancel: "Ereignis absagen", dismiss: "Ablegen", bulkRetry: "Wiederholen", bulkCancel: "Absagen", bulkDismiss: "Ablegen", confirm: "Ausführen", close: "Schließen", create: "Anlegen",
  countedApply: "Das betrifft {n} Ereignisse.", counting: "Zählt…", started: "{status}, {done} von {total} erledigt, {failed} gescheitert.", operation: "Vorgang", perSecond: "Höchstens Ereignisse pro Sekunde", cannotUndo: "Das lässt sich nicht zurücknehmen.",
  sameAs: "Dasselbe mit curl und als Befehl", done: "Erledigt.", stop: "Anhalten", stopHint: "Was erledigt ist, bleibt. Der Rest wird nicht ausgeführt.", drain: "Auslaufen lassen", drainHint: "Der Prozess beendet die {n} Ereignisse, die er hält, und endet.",
  test: "Test senden", testHint: "Sendet eine Anfrage vom Typ sundial.test, die nirgends gespeichert wird.", rotateSecret: "Geheimnis wechseln", rotateHint: "Das alte Geheimnis signiert noch 24 Stunden neben dem neuen.", shownOnce: "Wird nur einmal gezeigt. Jetzt kopieren.",
  enable: "Einschalten", disable: "Abschalten", closeCircuit: "Circuit-Breaker schließen", pause: "Pausieren", pauseHint: "Geplante Ereignisse warten, bis der Zeitplan fortgesetzt wird.", resume: "Fortsetzen", trigger: "Jetzt auslösen", triggerHint: "Legt ein Ereignis an, das jetzt fällig ist.", backfill: "Nachholen",
  reference: "API-Referenz", parameters: "Parameter", responses: "Antworten", requestBody: "Rumpf", searchPath: "Methode oder Pfad enthält",
  views: "Gespeicherte Ansichten", viewName: "Name dieser Ansicht", save: "Speichern", remove: "Entfernen", exportAs: "Als {format} speichern", exported: "{n} Ereignisse gespeichert.", exportedPart: "Nur die ersten {n} Ereignisse wurden gespeichert.",
  inbox: "Eingang", clearInbox: "Eingang leeren", advance: "Uhr vorstellen", advanced: "{delivered} zugestellt, {failed} gescheitert.",
  createKey: "Schlüssel anlegen", revoke: "Widerrufen", needsAdmin: "Nur Schlüssel mit der Rolle ADMIN sehen diese Seite.",

  deadLettersHint: "Ereignisse, die endgültig gescheitert und nicht abgelegt sind.", groupBy: "Gruppieren nach", byReason: "Nach Grund", byEndpoint: "Nach Endpunkt", noEndpoint: "Kein Endpunkt", moreThere: "Gruppiert sind nur die neuesten {n}.", total: "Insgesamt {n} Ereignisse.",
  latestAttempts: "Letzte Versuche", locksHint: "Der Inhaber gibt eine Sperre mit ihrem Token frei. Sonst endet sie mit ihrer Frist.", nextDue: "Nächstes", ofEachUser: "jeder Person", perUserHint: "Jede Person hat eigene Termine.",
  onlyNext: "Zeitpläne für Personen können in dieser Zeit mehrmals auslösen. Nur der nächste Termin jeder Person ist aufgeführt.", onDisk: "auf der Festplatte", moved: "Ereignisse, die sich mit den neuen Daten verschieben",
  gap: "Ortszeit, die es nicht gibt", overlap: "Ortszeit, die es zweimal gibt", leap: "29. Februar in Gemeinjahren", misfire: "Verpasst, während nichts lief", concurrency: "Gleichzeitig", jitter: "Streuung", preview: "Vorschau", previewHint: "Eine Regel angeben, um ihre Termine zu sehen.",
  showFrom: "Zeigen ab", cronRule: "Cron-Ausdruck", yearlyOn: "Datum (MM-TT)", yearlyAt: "Uhrzeit", dtstart: "Erste Ortszeit", rruleRule: "RRULE", everyRule: "Abstand",

  PENDING: "Geplant", PROCESSING: "In Arbeit", COMPLETED: "Erledigt", FAILED: "Gescheitert", CANCELLED: "Abgesagt", OPEN: "Offen", HALF_OPEN: "Probe", CLOSED: "Geschlossen", RUNNING: "Läuft", STOPPED: "Angehalten", DRAINING: "Läuft aus", SILENT: "Stumm",
  pass: "Bestanden", warn: "Warnung", fail: "Gescheitert", SUCCEEDED: "Gelungen", RETRYABLE: "Gescheitert, neuer Versuch folgt", PERMANENT: "Endgültig gescheitert", LOST: "Verloren", LATE: "Zu spät", RELEASED: "Zurückgegeben", disabled: "Abgeschaltet", paused: "Pausiert",
  CRITICAL: "Kritisch", HIGH: "Hoch", NORMAL: "Normal", LOW: "Niedrig", PLAN_SCHEDULE: "Zeitplan planen", REPLAN_SCHEDULE: "Zeitplan neu planen", BACKFILL_SCHEDULE: "Zeitplan nachholen", BULK: "Sammelaktion",
  RETRY: "Nächster Versuch", CIRCUIT: "Circuit-Breaker", LIMIT: "Grenze", ENDPOINT: "Endpunkt", SCHEDULE: "Zeitplan", true: "Ja", false: "Nein",
  cron: "Cron", yearly: "Jährlich", rrule: "Kalenderregel (RRULE)", every: "In festem Abstand", compatible: "wie Kalender (Lücke: später, doppelt: erste)", earlier: "früher", later: "später", boundary: "zur Umstellung", skip: "auslassen", both: "beide Male",
  feb28: "28. Februar", mar1: "1. März", once: "einmal", all: "alle", gap_earlier: "Gibt es nicht, früher", gap_later: "Gibt es nicht, später", gap_boundary: "Gibt es nicht, zur Umstellung", gap_skipped: "Gibt es nicht, ausgelassen",
  overlap_earlier: "Gibt es zweimal, erstes Mal", overlap_later: "Gibt es zweimal, zweites Mal", overlap_skipped: "Gibt es zweimal, ausgelassen", leap_moved: "29. Februar, verschoben", leap_skipped: "29. Februar, ausgelassen", offset_changed: "Erster nach der Umstellung",
};

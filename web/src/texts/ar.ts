import type { Texts } from "./en.ts";

export const ar: Texts = {
  overview: "نظرة عامة", events: "الأحداث", event: "الحدث", deadLetters: "الأحداث الفاشلة نهائيًا", occurrences: "ما يحين قريبًا", schedules: "الجداول", newSchedule: "جدول جديد", people: "الأشخاص",
  endpoints: "نقاط الوصول", operations: "العمليات", streams: "السجلات", locks: "الأقفال", zones: "المناطق الزمنية", instances: "النُسخ العاملة", keys: "مفاتيح الواجهة", pages: "الصفحات", notFound: "هذه الصفحة غير موجودة.",

  settings: "العرض", skipToContent: "إلى المحتوى", loading: "جارٍ التحميل…", nothing: "لا شيء هنا.", stale: "قد يكون المعروض قديمًا.", since: "منذ",
  unreachable: "الخادم لا يستجيب. تعيد هذه الصفحة المحاولة تلقائيًا.", noDatabase: "لا يصل الخادم إلى قاعدة بياناته. تعيد هذه الصفحة المحاولة تلقائيًا.", unknownError: "رفض الخادم ذلك.",
  timesIn: "الأوقات حسب", target: "منطقة الحدث", viewer: "منطقتي", theme: "الألوان", auto: "النظام", dark: "داكن", light: "فاتح", language: "اللغة", readOnly: "للقراءة فقط",
  keyWanted: "يتطلب هذا الخادم مفتاحًا", keyHint: "يحصل المتصفح على ملف تعريف لا يقرؤه أي برنامج نصي. لا يُحفظ المفتاح نفسه.", keyRefused: "لا يعرف الخادم هذا المفتاح، أو رفض المتصفح ملف التعريف.",
  apiKey: "المفتاح", signIn: "تسجيل الدخول", signOut: "تسجيل الخروج", shortcuts: "لوحة المفاتيح", focusSearch: "بحث", thisHelp: "هذه القائمة",

  columns: "الأعمدة", apply: "تطبيق", clear: "مسح", next: "الصفحة التالية", first: "الصفحة الأولى", any: "الكل", select: "تحديد", selectAll: "تحديد كل ما في الصفحة", selected: "حُدِّد {n}", wholeFilter: "كل ما يطابق المرشح",
  search: "المعرّف أو المفتاح يبدأ بـ", searchName: "الاسم أو المعرّف يبدأ بـ", searchId: "المعرّف يبدأ بـ", searchZone: "الاسم يحتوي على", actions: "الإجراءات", copy: "نسخ", copied: "نُسخ", show: "عرض", asTable: "كجدول",

  name: "الاسم", type: "النوع", status: "الحالة", due: "الموعد", zone: "المنطقة", priority: "الأولوية", endpoint: "نقطة الوصول", user: "الشخص", schedule: "الجدول", attempts: "المحاولات", reason: "السبب", lateness: "التأخر",
  key: "المفتاح", id: "المعرّف", created: "أُنشئ", executed: "نُفِّذ", nextAttempt: "المحاولة التالية", waitingFor: "ينتظر", retryOf: "إعادة لـ", dismissed: "استُبعد", dueFrom: "الموعد من", dueTo: "الموعد قبل",
  from: "من", before: "قبل", until: "حتى الآن", version: "الإصدار", note: "ملاحظة", url: "العنوان", timeout: "المهلة", retryPolicy: "الإعادات", rateLimit: "الحد", secret: "السر", publicKey: "المفتاح العام", inFlight: "قيد الإرسال",
  circuit: "قاطع الدائرة", failureShare: "نسبة الفشل", probe: "الفحص التالي", disabledReason: "سبب التعطيل", number: "الرقم", begun: "البدء", duration: "المدة", answer: "الرد", body: "المحتوى", instance: "النسخة",
  count: "العدد", oldest: "الأقدم", newest: "الأحدث", samples: "أمثلة", progress: "التقدم", finished: "انتهى", errors: "الأخطاء", holder: "الحائز", acquired: "أُخذ", expires: "ينتهي", fencingToken: "رمز التسييج",
  recorded: "سُجِّل", actor: "بواسطة", data: "البيانات", roles: "الأدوار", role: "الدور", reported: "آخر إبلاغ", clockSkew: "فرق الساعة", lastUsed: "آخر استعمال", offset: "الفرق عن UTC", nextChange: "التغيير التالي للساعة", born: "تاريخ الميلاد", birthMonth: "شهر الميلاد", birthDay: "يوم الميلاد",
  externalId: "المعرّف الخاص", effect: "أثر تغيير الساعة", history: "السجل", enabled: "مفعّل", deleted: "محذوف", archived: "مؤرشف", erased: "مُسحت", skipped: "متروك", payload: "الحمولة",

  ready: "جاهز", notReady: "غير جاهز", checks: "الفحوص", figures: "الأرقام", window: "خلال آخر", overdue: "متأخرة", pending: "بانتظار الموعد", processing: "قيد التنفيذ", openCircuits: "قواطع مفتوحة", noOpenCircuit: "لا قاطع مفتوح.",
  completed: "مكتملة", failed: "فاشلة", retried: "معادة", throughput: "المعدل", perSecondValue: "{n} في الثانية", latenessOf: "التأخر", nothingStarted: "لم يبدأ شيء في هذه المدة.", oldestDue: "أقدم حدث متأخر", noneDue: "لا شيء متأخر.",
  catchUp: "يُستدرك خلال", throughputChart: "الأحداث", executedChart: "مكتملة", latest: "الأخير", most: "الأعلى", nextTen: "الأحداث العشرة التالية", server: "الخادم", database: "قاعدة البيانات", tz: "إصدار المناطق الزمنية", clock: "الساعة",
  testClock: "ساعة اختبار", systemClock: "ساعة النظام", atLeast: "{n} أو أكثر",

  timeline: "الخط الزمني", timelineHint: "الأحداث بحسب الساعة: المنتهية والمتوقعة. اختر خلية لعرض أحداثها.", otherLines: "كل ما عداها", pastCells: "منتهية", forecastCells: "متوقعة",
  nowLine: "الآن", overLegend: "فوق حد نقطة الوصول", hoursIn: "الساعات حسب {zone}", moreLines: "توجد {n} من الأسطر الأقل نشاطًا في الجدول فقط.", onlyNextForecast: "لا يُحسب من جداول الأشخاص إلا الحدث التالي لكل شخص.",
  pastSum: "انتهى {n} من الأحداث.", forecastSum: "يُتوقع {n} من الأحداث.", forecastEnds: "حتى", forecastCut: "الأحداث المخططة أكثر مما يعدّه التوقع. الساعات بعد نهايته غير معروفة.", notCounted: "لم تُعدّ", mostIn: "الأكثر: {n}، {line}، {hour}.", overCells: "عدد الساعات التي تتجاوز حد نقطة الوصول: {n}. ستتأخر أحداثها.",
  finishedCount: "منتهية: {n}", expectedCount: "متوقعة: {n}", overLimit: "فوق الحد {n}", perHour: "الحد {n} في الساعة", finishedEvents: "أحداث منتهية",
  plannedEvents: "أحداث مخططة", laterOccurrences: "مواعيد لاحقة للجداول", expected: "متوقعة", allOfThese: "كل ما في هذه الساعة", otherHint: "لا مرشح لهذه الأحداث في الواجهة. تُعرض كل أحداث هذه الساعة.",
  spread: "التوزيع بـ jitter", nothingToSpread: "لا ساعة تتجاوز حد نقطة وصول، ولا ذروة عند 09:00 في أي منطقة.", showHour: "عرض هذه الساعة", spreadLimit: "يُتوقع {n} من الأحداث في {hour}، والحد يسمح بـ {against} في الساعة. توزيع (jitter) مقداره {jitter} في جداولها يجعلها {after} في الساعة.", spreadNine: "ذروة عند 09:00: {n} من الأحداث في {hour}، والمتوسط في غيرها {against}. توزيع (jitter) مقداره {jitter} في جداولها يجعلها {after} في الساعة.",
  tableCut: "تُعرض أول {n} صفوف فقط.",

  why: "لماذا في هذا الوقت", whyText: "من القاعدة إلى النتيجة", noAttempts: "لا محاولة بعد.", rule: "القاعدة", local: "الوقت المحلي", zoneStep: "المنطقة", utc: "UTC", change: "تغيير", attempt: "محاولة", result: "النتيجة", waits: "الآن",
  attemptNumber: "المحاولة {n}", newTime: "الوقت المحلي الجديد",

  retry: "إعادة الآن", fire: "إرسال الآن", reschedule: "تغيير الموعد", edit: "تعديل الحمولة", cancel: "إلغاء الحدث", dismiss: "استبعاد", bulkRetry: "إعادة", bulkCancel: "إلغاء", bulkDismiss: "استبعاد", confirm: "تنفيذ", close: "إغلاق", create: "إنشاء",
  countedApply: "يشمل هذا {n} من الأحداث.", counting: "جارٍ العد…", started: "{status}، أُنجز {done} من {total}، فشل {failed}.", operation: "العملية", perSecond: "أقصى عدد في الثانية", cannotUndo: "لا يمكن التراجع عن هذا.",
  sameAs: "الشيء نفسه بـ curl وبالأمر", done: "تم.", stop: "إيقاف", stopHint: "يبقى ما أُنجز، ولا يُنفَّذ الباقي.", drain: "إنهاء تدريجي", drainHint: "تُنهي العملية {n} من الأحداث التي بحوزتها ثم تتوقف.",
  test: "إرسال اختبار", testHint: "يرسل طلبًا من النوع sundial.test لا يُحفظ في أي مكان.", rotateSecret: "تغيير السر", rotateHint: "يوقّع السر القديم مع الجديد لمدة 24 ساعة.", shownOnce: "يُعرض مرة واحدة. انسخه الآن.",
  enable: "تفعيل", disable: "تعطيل", closeCircuit: "إغلاق القاطع", pause: "إيقاف مؤقت", pauseHint: "تنتظر الأحداث المخططة حتى استئناف الجدول.", resume: "استئناف", trigger: "تشغيل الآن", triggerHint: "ينشئ حدثًا واحدًا موعده الآن.", backfill: "استدراك",
  reference: "مرجع الواجهة", parameters: "المعاملات", responses: "الردود", requestBody: "المتن", searchPath: "الطريقة أو المسار يحتوي على",
  views: "طرق العرض المحفوظة", viewName: "اسم طريقة العرض هذه", save: "حفظ", remove: "إزالة", exportAs: "تصدير بصيغة {format}", exported: "صُدِّر {n} من الأحداث.", exportedPart: "صُدِّرت أول {n} من الأحداث فقط.",
  inbox: "صندوق الوارد", clearInbox: "تفريغ الصندوق", advance: "تقديم الساعة", advanced: "سُلِّم {delivered}، فشل {failed}.",
  createKey: "إنشاء مفتاح", revoke: "إبطال", needsAdmin: "ترى هذه الصفحة المفاتيح ذات الدور ADMIN فقط.",

  deadLettersHint: "أحداث فشلت نهائيًا ولم تُستبعد.", groupBy: "التجميع حسب", byReason: "حسب السبب", byEndpoint: "حسب نقطة الوصول", noEndpoint: "بلا نقطة وصول", moreThere: "جُمّع أحدث {n} فقط.", total: "المجموع: {n} من الأحداث.",
  latestAttempts: "أحدث المحاولات", locksHint: "يحرر الحائز القفل برمزه، وإلا انتهى بانتهاء مهلته.", nextDue: "التالي", ofEachUser: "منطقة كل شخص", perUserHint: "لكل شخص مواعيده.",
  onlyNext: "قد تحين جداول الأشخاص أكثر من مرة في هذه المدة. لا يُذكر إلا الموعد التالي لكل شخص.", onDisk: "على القرص", moved: "أحداث يغيّرها الإصدار الذي على القرص",
  gap: "وقت محلي غير موجود", overlap: "وقت محلي يتكرر", leap: "29 فبراير في السنة البسيطة", misfire: "ما فات أثناء التوقف", concurrency: "في الوقت نفسه", jitter: "التوزيع", preview: "معاينة", previewHint: "اكتب قاعدة لترى مواعيدها.",
  showFrom: "العرض من", cronRule: "تعبير cron", yearlyOn: "التاريخ (MM-DD)", yearlyAt: "الوقت", dtstart: "أول وقت محلي", rruleRule: "RRULE", everyRule: "المدة الفاصلة",

  tags: "الوسوم", tag: "الوسم", editSchedule: "تعديل", saveChanges: "حفظ", deleteSchedule: "حذف", deleteScheduleHint: "تُلغى أحداثه المخططة. تبقى الأحداث المنتهية.", whatChanges: "ما الذي يتغير", nothingChanges: "لا شيء بعد.",
  incomplete: "القاعدة غير مكتملة، أو الحمولة ليست JSON.", member: "الحقل", was: "كان", becomes: "يصبح", isNow: "الآن", yours: "تعديلك", conflict: "غيّر شخص آخر هذا الجدول منذ أن بدأت.", bothChanged: "غيّره كلاكما",
  keepMine: "أبقِ تعديلاتي فوق هذه", discardMine: "تجاهل تعديلاتي", stays: "يبقى", goes: "يزول", comes: "يُضاف", comparedSum: "من المواعيد التالية: يبقى {stays}، ويزول {goes}، ويُضاف {comes}.", ical: "نص iCalendar",
  icalRule: "DTSTART, RRULE, RDATE, EXDATE", rdates: "مواعيد إضافية (RDATE)", exdates: "مواعيد متروكة (EXDATE)", misfireWindow: "أقصى تأخر للتنفيذ", startsAt: "يبدأ", endsAt: "ينتهي في", allow: "مسموح", forbid: "ممنوع",
  moreLike: "و{n} أخرى مثلها.", schedulesCounted: "ينطبق هذا على {n} من الجداول.", onlyFirst: "أول {n} مطابقة فقط.", bulkDone: "أُنجز {done} من {n}.", bulkReschedule: "إعادة جدولة", moveHow: "النقل", moveBy: "بمدة",
  moveTo: "إلى وقت محلي", amount: "المقدار (سالب: أبكر)", unit: "الوحدة", minutes: "دقائق", hours: "ساعات", days: "أيام من 24 ساعة", newLocal: "الوقت المحلي في منطقة كل حدث", dismissalNote: "سبب الاستبعاد",
  configuration: "الإعدادات", configurationHint: "الإعدادات التي بدأت بها العملية المجيبة. الأسرار مخفية.", allSettings: "الكل", givenSettings: "المغيَّرة عن الافتراضي", setting: "الإعداد", value: "القيمة", origin: "المصدر",
  byDefault: "افتراضي", fiveYears: "السنوات الخمس القادمة", dates: "التواريخ", whatIf: "ماذا لو انتقل إلى …", movePerson: "نقل", movesBy: "يتحرك بمقدار", sameRelease: "قاعدة البيانات المستعملة هي التي على القرص. لن يتحرك شيء.",
  movesNothing: "الإصدار الذي على القرص لا يحرك أي حدث.", touched: "يمس", eventsAround: "الأحداث حول التغيير", recover: "استعادة فترة", recoverHint: "يعيد محاولة الأحداث التي فشلت نهائيًا في هذه الفترة، بوتيرة محددة.",
  failedFrom: "فشلت من",

  PENDING: "بانتظار الموعد", PROCESSING: "قيد التنفيذ", COMPLETED: "مكتمل", FAILED: "فاشل", CANCELLED: "ملغى", OPEN: "مفتوح", HALF_OPEN: "قيد الفحص", CLOSED: "مغلق", RUNNING: "يعمل", STOPPED: "متوقف", DRAINING: "ينتهي تدريجيًا", SILENT: "صامت",
  pass: "سليم", warn: "تحذير", fail: "فشل", SUCCEEDED: "نجحت", RETRYABLE: "فشلت وستعاد", PERMANENT: "فشلت نهائيًا", LOST: "مفقودة", LATE: "متأخرة", RELEASED: "أُعيدت دون إرسال", disabled: "معطّل", paused: "موقوف مؤقتًا",
  CRITICAL: "حرجة", HIGH: "عالية", NORMAL: "عادية", LOW: "منخفضة", PLAN_SCHEDULE: "تخطيط جدول", REPLAN_SCHEDULE: "إعادة تخطيط جدول", BACKFILL_SCHEDULE: "استدراك جدول", BULK: "إجراء جماعي",
  RETRY: "المحاولة التالية", CIRCUIT: "قاطع الدائرة", LIMIT: "الحد", ENDPOINT: "نقطة الوصول", SCHEDULE: "الجدول", true: "نعم", false: "لا",
  cron: "Cron", yearly: "سنوي", rrule: "قاعدة تقويم (RRULE)", every: "كل مدة", compatible: "كالتقاويم (الفجوة: لاحقًا، التكرار: الأول)", earlier: "أبكر", later: "لاحقًا", boundary: "عند التغيير", skip: "ترك", both: "المرتان",
  feb28: "28 فبراير", mar1: "1 مارس", once: "مرة", all: "الكل", gap_earlier: "غير موجود، قُدِّم", gap_later: "غير موجود، أُخِّر", gap_boundary: "غير موجود، عند التغيير", gap_skipped: "غير موجود، تُرك",
  overlap_earlier: "يتكرر، المرة الأولى", overlap_later: "يتكرر، المرة الثانية", overlap_skipped: "يتكرر، تُرك", leap_moved: "29 فبراير، نُقل", leap_skipped: "29 فبراير، تُرك", offset_changed: "الأول بعد تغيير الفرق",
};

// Prints the occurrences of an iCalendar text that ical.js finds: `UID TAB seconds since 1970`.
//
// usage: read.mjs FROM TO < FILE      seconds since 1970, inclusive and exclusive
import { readFileSync } from "node:fs";
import ICAL from "ical.js";

const [from, to] = process.argv.slice(2).map(Number);
const calendar = new ICAL.Component(ICAL.parse(readFileSync(0, "utf8")));
for (const zone of calendar.getAllSubcomponents("vtimezone")) {
  ICAL.TimezoneService.register(new ICAL.Timezone({ component: zone, tzid: zone.getFirstPropertyValue("tzid") }));
}

const entries = calendar.getAllSubcomponents("vevent");
const moved = entries.filter((entry) => entry.hasProperty("recurrence-id"));
for (const entry of entries) {
  if (entry.hasProperty("recurrence-id")) continue;
  const event = new ICAL.Event(entry);
  for (const exception of moved) {
    if (exception.getFirstPropertyValue("uid") === event.uid) event.relateException(exception);
  }
  const iterator = event.iterator();
  for (let next = iterator.next(); next; next = iterator.next()) {
    const place = next.toUnixTime();
    if (place >= to) break;
    const start = event.isRecurring() ? event.getOccurrenceDetails(next).startDate.toUnixTime() : place;
    if (start >= from && start < to) console.log(`${event.uid}\t${start}`);
    if (!event.isRecurring()) break;
  }
}

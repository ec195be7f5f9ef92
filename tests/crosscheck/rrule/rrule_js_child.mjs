// Prints the answers of the npm package rrule to recurrence rules, without zones.
//
// Reads lines `start TAB end TAB count TAB rule` and writes one line for each: the first `count` occurrences up to
// `end`, separated by blanks, or `refused`.
import { createInterface } from "node:readline";
import rrule from "rrule";

const { rrulestr } = rrule;
const compact = (date) => date.toISOString().replace(/[-:]|\.000Z/g, "");
const dateOf = (text) =>
  new Date(text.replace(/(....)(..)(..)T(..)(..)(..)/, "$1-$2-$3T$4:$5:$6Z"));

function answer(start, end, count, text) {
  const found = [];
  const last = dateOf(end);
  rrulestr(text, { dtstart: dateOf(start) }).all((date, i) => {
    if (i >= Number(count) || date > last) return false;
    found.push(compact(date));
    return true;
  });
  return found.join(" ");
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(answer(...line.split("\t")));
  } catch {
    console.log("refused");
  }
}

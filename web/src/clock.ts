// Rules of the slider that moves a test clock: how far it reaches, and where a step leads.

export interface Reach {
  /** Length of a step in seconds: an arrow key moves the slider by one. */
  step: number;
  steps: number;
}

/** 60 to 366 steps each, so that a step can be seen and chosen with the mouse too. */
export const REACHES = {
  PT1H: { step: 60, steps: 60 }, P1D: { step: 900, steps: 96 }, P7D: { step: 3600, steps: 168 }, P30D: { step: 21_600, steps: 120 }, P1Y: { step: 86_400, steps: 366 },
} as const satisfies Record<string, Reach>;

/** The instant after so many steps. */
export const instantOf = (now: string, { step }: Reach, steps: number) => new Date(new Date(now).getTime() + steps * step * 1000).toISOString();

/** The first step that is not before each instant, once each: the marks on the slider. Instants that are over, or beyond the reach, have none. */
export function marksOf(now: string, { step, steps }: Reach, instants: readonly (string | null)[]): number[] {
  const places = instants.flatMap((at) => (at === null ? [] : [Math.ceil((new Date(at).getTime() - new Date(now).getTime()) / (step * 1000))]));
  return [...new Set(places)].filter((place) => place > 0 && place <= steps).sort((a, b) => a - b);
}

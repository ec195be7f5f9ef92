export { ApiKeys, Calendars, Endpoints, Events, Intakes, Listing, Locks, Operations, Schedules, Streams, Sundial, System, Users } from "./client.js";
export type { CallOptions, ChangeOptions, ClientOptions, Reply, VersionOptions } from "./client.js";
export { ApiError, isProblem, Stopped, SundialError, TransportError } from "./errors.js";
export type { ProblemOf } from "./errors.js";
export type {
  LiveChange, LiveClosed, LiveEvents, LiveInstances, LiveMessage, LiveOpened, LiveOperations, LiveOptions, LiveReset, LiveStats,
} from "./live.js";
export * from "./schema.js";
export { verifyWebhook, WebhookRefused } from "./webhooks.js";
export type { VerifyOptions, Webhook, WebhookHeaders } from "./webhooks.js";
export { Fail, Release, Worker } from "./worker.js";
export type { Handler, Job, WorkerOptions } from "./worker.js";

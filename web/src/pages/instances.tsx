import type { Instance } from "../../../clients/typescript/src/schema.ts";
import { useTexts } from "../display.ts";
import { Act, Shown, State, Table, Time, useActions, type Page } from "../parts.tsx";
import { get, useLoaded } from "../api.ts";
import { Audit } from "./audit.tsx";

export function Instances() {
  const text = useTexts();
  const page = useLoaded((signal) => get<Page<Instance>>("/v1/instances", signal), [], ["instances"], 5000);
  const actions = useActions(page.reload);
  return (
    <>
      <h1>{text("instances")}</h1>
      {actions.view}
      <Shown of={page}>{({ data }) => <Table label={text("instances")} rows={data} id={({ id }) => id} columns={[
        ["id", ({ id }) => <code>{id.slice(-12)}</code>],
        ["status", ({ status }) => <State of={status} />],
        ["roles", ({ roles }) => roles.join(", ")],
        ["version", ({ version }) => version],
        ["begun", ({ startedAt }) => <Time at={startedAt} relative />],
        ["reported", ({ reportedAt }) => <Time at={reportedAt} relative />],
        ["inFlight", ({ leasesHeld, slots }) => <span class="nowrap">{text("ofTotal", { n: leasesHeld, total: slots })}</span>],
        ["lastClaim", ({ lastClaimAt }) => <Time at={lastClaimAt} relative />],
        ["clockSkew", ({ clockSkewMs }) => <bdi>{clockSkewMs} ms</bdi>],
        ["actions", (instance) => instance.status !== "DRAINING" && <Act word="drain" about={instance.id.slice(-12)} role="ADMIN" press={() => actions.ask({
          word: "drain", about: instance.id, note: <p>{text("drainHint", { n: instance.leasesHeld })}</p>,
          request: { method: "POST", path: `/v1/instances/${instance.id}/drain`, cli: ["instance", "drain", instance.id] },
        })} />],
      ]} />}</Shown>
      <Audit stream="InstanceAudit/all" topics={["instances"]} />
    </>
  );
}

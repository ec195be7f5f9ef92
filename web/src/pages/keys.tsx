import { useContext, useState } from "preact/hooks";
import type { ApiKey, CreatedApiKey } from "../../../clients/typescript/src/schema.ts";
import { logIn } from "../api.ts";
import { useTexts } from "../display.ts";
import type { Query, Role } from "../logic.ts";
import { Act, ActionDialog, CallerContext, Field, Name, Pages, Quiet, Shown, Table, Time, useActions, useMayDo, usePage } from "../parts.tsx";
import { Secret } from "./endpoints.tsx";

const ROLES: readonly Role[] = ["READ", "WRITE", "ADMIN"];

export function Keys({ query }: { query: Query }) {
  const text = useTexts();
  if (!useMayDo("ADMIN")) return <><h1>{text("keys")}</h1><p>{text("needsAdmin")}</p></>;
  return <KeyList query={query} />;
}

function KeyList({ query }: { query: Query }) {
  const text = useTexts();
  const page = usePage<ApiKey>("/v1/api-keys", query);
  const actions = useActions(page.reload);
  const [creating, setCreating] = useState(false);
  const caller = useContext(CallerContext);
  const created = async (key: CreatedApiKey) => {
    actions.say(<Secret of={key.key} />);
    // From the first key on the server requires one: this browser goes on with it.
    if (!caller.hasKey) caller.changed(await logIn(key.key));
    page.reload();
  };
  return (
    <>
      <h1>{text("keys")}</h1>
      <div class="buttons"><Act word="createKey" role="ADMIN" press={() => setCreating(true)} /></div>
      {creating && <NewKey close={() => setCreating(false)} done={(key) => void created(key)} />}
      {actions.view}
      <Shown of={page}>{(found) => (
        <>
          <Table label={text("keys")} rows={found.data} id={({ id }) => id} columns={[
            ["name", ({ name }) => <Name of={name} />],
            ["role", ({ role }) => role],
            ["key", ({ prefix }) => <code>{prefix}…</code>],
            ["created", ({ createdAt }) => <Time at={createdAt} />],
            ["lastUsed", ({ lastUsedAt }) => <Time at={lastUsedAt} relative />],
            ["expires", ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} relative /> : <Quiet />)],
            ["actions", (key) => <Act word="revoke" about={key.name} role="ADMIN" press={() => actions.ask({
              word: "revoke", about: key.name, request: { method: "DELETE", path: `/v1/api-keys/${key.id}`, cli: ["key", "revoke", key.id] },
            })} />],
          ]} />
          <Pages page="keys" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}

function NewKey({ done, close }: { done: (key: CreatedApiKey) => void; close: () => void }) {
  const text = useTexts();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("READ");
  return (
    <ActionDialog word="createKey" undoable close={close} done={(answer) => done(answer as CreatedApiKey)}
      request={name.trim() === "" ? undefined : { method: "POST", path: "/v1/api-keys", body: { name: name.trim(), role }, cli: ["key", "create", "--name", name.trim(), "--role", role] }}>
      <Field label={text("name")}><input name="name" required value={name} onInput={(event) => setName(event.currentTarget.value)} /></Field>
      <Field label={text("role")}>
        <select name="role" value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>{ROLES.map((one) => <option key={one} value={one}>{one}</option>)}</select>
      </Field>
    </ActionDialog>
  );
}

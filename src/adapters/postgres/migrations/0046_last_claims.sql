-- When an instance last claimed events to deliver. Its report, written every five seconds, has it; no claim writes it.
ALTER TABLE sundial.instance_reports ADD COLUMN last_claim_at timestamptz;

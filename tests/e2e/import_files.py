"""Small files of other schedulers, and a file of schedules."""
import os

FILES = {
    "crontab": "CRON_TZ=Europe/Berlin\n30 2 * * * /usr/bin/backup --all {x}\n*/15 * * * * poll\n",
    "pgcron": ("jobid,schedule,command,nodename,nodeport,database,username,active,jobname\n"
               "1,0 3 * * *,delete from log,localhost,5432,app,ada,t,clean\n2,30 seconds,select 1,localhost,5432,app,ada,f,\n"),
    "quartz": ("<job-scheduling-data><schedule>\n<trigger><cron><name>close</name><group>books</group><job-name>Close</job-name>\n"
               "<cron-expression>0 0/20 * ? * 2-6 2027-2028</cron-expression><time-zone>Europe/Paris</time-zone></cron></trigger>\n"
               "</schedule></job-scheduling-data>\n"),
    "eventbridge": ('{"Rules":[{"Name":"often","ScheduleExpression":"rate(5 minutes)","State":"DISABLED"},\n'
                    '{"Name":"nightly","ScheduleExpression":"cron(30 2 ? * MON-FRI *)"}]}\n'),
    "ics": ("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:stand-up@example.org\r\nSUMMARY:Stand-up\r\n"
            "DTSTART;TZID=Europe/Paris:20270104T093000\r\nRRULE:FREQ=WEEKLY;BYDAY=MO\r\n"
            "EXDATE;TZID=Europe/Paris:20270111T093000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"),
    "csv": "externalId,firstName,lastName,dateOfBirth,timezone\nada,Ada,Lovelace,1990-12-10,Europe/London\n",
    "ndjson": '{"externalId":"ada","firstName":"Ada","lastName":"Lovelace","dateOfBirth":"1990-12-10","timezone":"Europe/London"}\n',
    "shadow": "time,name\n2020-01-01T00:00:00Z,shadowed\n",
    "apply": ('set = "billing"\n[defaults]\ntimezone = "Europe/Berlin"\n[schedules.nightly]\ncron = "30 2 * * *"\n'
              'payload = { job = "close", steps = [1, 2.5, true] }\ngrace = "PT60S"\n'
              '[schedules.hourly]\nevery = "PT60M"\nstartsAt = 2027-01-01T00:00:00Z\n'
              '[schedules.may]\nyearly = { on = "05-01" }\n'
              '[schedules.daily]\nrrule = { dtstart = "2027-01-01T09:00", rrule = "FREQ=DAILY" }\n'),
}


def write(directory):
    """`import.crontab`, …, `import.apply`"""
    for name, text in FILES.items():
        with open(os.path.join(directory, "import." + name), "w", encoding="utf-8", newline="") as file:
            file.write(text)


def arguments_of(command):
    """Of ("import", "crontab"), …, ("apply",), ("shadow", "compare"); None for other commands."""
    if command == ("apply",):
        return ["-f", "import.apply", "-y"]
    if command == ("shadow", "compare"):
        return ["import.shadow", "--format", "csv"]
    return ["import." + command[1]] if command[0] == "import" else None

# Of SARIF 2.1.0 (OASIS) what racefuzz writes, after the text of the standard, sections 3.13 to
# 3.58: of each kind of object the members that it has, with ! those that it must have, and what
# they are: of a kind, a list of those, a type, or a text of that /form/.  Members that racefuzz
# does not write are left out, so that a slip in a name is noticed.
def kinds: {
  log: {"$schema": "string", "version!": "/^2[.]1[.]0$/", "runs!": ["run"]},
  run: {"tool!": "tool", "invocations": ["invocation"], "results!": ["result"]},
  tool: {"driver!": "driver"},
  driver: {"name!": "/./", "version": "/^[0-9]+[.][0-9]+[.][0-9]+$/", "rules": ["rule"]},
  rule: {"id!": "/^[a-z-]+$/", "shortDescription": "message"},
  invocation: {"executionSuccessful!": "boolean"},
  result: {"ruleId!": "string", "level!": "/^(note|error)$/", "message!": "message",
    "baselineState": "/^(new|unchanged|updated|absent)$/", "locations!": ["location"],
    "relatedLocations": ["location"], "codeFlows": ["codeFlow"], "suppressions": ["suppression"],
    "partialFingerprints!": "fingerprints", "properties!": "object"},
  message: {"text!": "/./"},
  location: {"id": "number", "physicalLocation!": "physicalLocation", "message": "message"},
  physicalLocation: {"artifactLocation!": "artifactLocation", "region": "region"},
  artifactLocation: {"uri!": "/^([!#-;=?-Z_a-z~]|%[0-9A-F]{2})+$/"},
  region: {"startLine!": "number"},
  codeFlow: {"threadFlows!": ["threadFlow"]},
  threadFlow: {"locations!": ["threadFlowLocation"]},
  threadFlowLocation: {"location": "location", "executionOrder": "number"},
  suppression: {"kind!": "/^(inSource|external)$/", "justification": "string"},
  fingerprints: {"racefuzz/v1!": "/^[0-9a-f]{16}$/"}
};

# What is wrong, and where.
def wrong($is; $at):
  . as $value
  | if $is | type == "array" then
      if type == "array" then range(length) as $i | .[$i] | wrong($is[0]; "\($at)[\($i)]")
      else "\($at): no list" end
    elif $is | startswith("/") then
      if type == "string" and test($is[1:-1]) then empty else "\($at): \(.)" end
    elif kinds[$is] == null then if type == $is then empty else "\($at): \(.)" end
    elif type != "object" then "\($at): no object"
    else (kinds[$is] | with_entries(.key |= rtrimstr("!"))) as $members
      | (keys - ($members | keys) | .[] | "\($at): no member \(.)"),
        (kinds[$is] | keys[] | select(endswith("!")) | rtrimstr("!") | select(in($value) | not)
          | "\($at): lacks \(.)"),
        ($value | to_entries[] | select(.key | in($members)) | .key as $key | .value
          | wrong($members[$key]; "\($at).\($key)"))
    end;

wrong("log"; ""),
(.runs[] | [.tool.driver.rules[].id] as $rules
  | (select($rules | length != (unique | length)) | "a rule twice"),
    (.results[] | select(.locations | length != 1) | "\(.locations | length) locations"),
    (.results[] | select(.properties.replay | not) | "no replay"),
    (.results[] | .codeFlows[]? | .threadFlows[].locations | length
      | select(. < 1 or . > 1000) | "a flow of \(.) locations"),
    ([.results[].ruleId] - $rules | .[] | "no rule \(.)"),
    (.. | .startLine? | numbers | select(. < 1) | "line \(.)"))

package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"testing"

	"github.com/bbgen/bbgen/examples/search/program"
)

// rest is the recall relative to the vectors of the shards that have answered, if some have not.
var rest = regexp.MustCompile(`, without \[[0-7 ]+\], ([0-9.]+) of what the others hold`)

// Nearly all of the nearest vectors are found, and many if two shards are asked. If shards are killed,
// queries are answered by the others, and the answer reports that. Restarted shards answer from the index of
// their snapshot.
func TestRun(t *testing.T) {
	for chaos, partial := range map[string]bool{"": false, "kill=5%": true, "loss=10%,faults=6": false} {
		var out bytes.Buffer
		if err := run(&out, chaos); err != nil {
			t.Fatalf("%q: %v\n%s", chaos, err, out.Bytes())
		}
		lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
		var r result
		if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
			t.Fatal(err)
		}
		if r.Queries != program.Queries || r.Recall < 0.95 || r.NearRecall < 0.85 || partial && r.Partial == 0 || chaos == "" && r.Partial > 0 {
			t.Errorf("%q: %+v, want a recall of 0.95, and of 0.85 from the nearest shards\n%s", chaos, r, out.Bytes())
		}
		said := rest.FindAllSubmatch(out.Bytes(), -1)
		if len(said) != r.Partial {
			t.Errorf("%q: %d queries say who is missing, want %d\n%s", chaos, len(said), r.Partial, out.Bytes())
		}
		sum := 0.0
		for _, m := range said {
			x, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += x
		}
		if len(said) > 0 && sum/float64(len(said)) < 0.95 {
			t.Errorf("%q: a recall of %v of what the shards hold that answer, want 0.95\n%s", chaos, sum/float64(len(said)), out.Bytes())
		}
	}
}

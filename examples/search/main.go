// Search runs peers in the simulator that hold parts of a set of vectors, and searches it: each query goes to
// all peers, and to the two with the nearest vectors. Peers are killed during the run, and the others answer
// the queries. The last line is a JSON object.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/examples/search/program"
	"github.com/bbgen/bbgen/runtime/host/sim"

	front "github.com/bbgen/bbgen/examples/search/peer/front/partition"
	shard "github.com/bbgen/bbgen/examples/search/peer/shard/partition"
)

func main() {
	log.SetFlags(0)
	chaos := flag.String("chaos", "kill=5%", "what goes wrong, as in loss=5%,kill=10%")
	flag.Parse()
	if err := run(os.Stdout, *chaos); err != nil {
		log.Fatal(err)
	}
}

const seed = 1

// result is the last line.
type result struct {
	Queries       int     `json:"queries"`
	Recall        float64 `json:"recall"`         // of queries that all shards have answered
	Partial       int     `json:"partial"`        // queries that some shard has not answered
	PartialRecall float64 `json:"partial_recall"` // of these queries, over all vectors; 0: there are none
	NearRecall    float64 `json:"near_recall"`    // of queries to the nearest shards that these have answered
	Asked         int     `json:"asked"`          // number of these queries
}

// run runs the shards, and compares the results with those of an exhaustive search.
func run(w io.Writer, chaos string) error {
	args := []string{"-n", "shard=" + strconv.Itoa(program.Shards), "-seed", strconv.Itoa(seed)}
	if chaos != "" {
		args = append(args, "-chaos", chaos)
	}
	var out bytes.Buffer
	p := sim.Program{Name: "search", Classes: []sim.Class{{Name: "front", Partition: front.Default}, {Name: "shard", Partition: shard.Default}}}
	if err := sim.Do(p, args, &out, io.Discard); err != nil {
		return err
	}
	answers, err := read(out.Bytes())
	if err != nil {
		return err
	}
	exact, err := newExact()
	if err != nil {
		return err
	}
	r := result{Asked: program.Near}
	var whole, part, near mean
	for _, a := range answers {
		all := exact.recall(a.query, a.all, nil)
		missing := a.all.missing()
		fmt.Fprintf(w, "query %2d: recall %.2f from %d shards", a.query, all, len(a.all.answered))
		if len(missing) > 0 {
			fmt.Fprintf(w, ", without %v, %.2f of what the others hold", missing, exact.recall(a.query, a.all, missing))
			part.add(all)
		} else {
			whole.add(all)
		}
		fmt.Fprintln(w)
		if len(a.near.answered) == program.Near {
			near.add(exact.recall(a.query, a.near, nil))
		}
	}
	r.Queries, r.Recall, r.Partial, r.PartialRecall, r.NearRecall = len(answers), whole.of(), part.n, part.of(), near.of()
	return json.NewEncoder(w).Encode(r)
}

// mean accumulates a mean.
type mean struct {
	n   int
	sum float64
}

func (m *mean) add(x float64) { m.n++; m.sum += x }

// of returns the mean, rounded to three digits, or 0 without numbers.
func (m *mean) of() float64 { return math.Round(1000*m.sum/float64(max(m.n, 1))) / 1000 }

// answer is the result of a query.
type answer struct {
	query     int
	all, near found
}

// found holds the vectors that were found, and the shards that have answered.
type found struct {
	shards, ids []int
	answered    []int
}

// missing returns the shards that have not answered.
func (f *found) missing() (list []int) {
	for s := range program.Shards {
		if !slices.Contains(f.answered, s) {
			list = append(list, s)
		}
	}
	return list
}

// read parses the front's output: one answer for each query.
func read(lines []byte) ([]*answer, error) {
	var list []*answer
	rounds := map[uint64]*answer{}
	for line := range bytes.Lines(lines) {
		var l struct {
			Class, Name, Event string
			Round              uint64
			Value              json.RawMessage
		}
		if json.Unmarshal(line, &l) != nil || l.Class != "front" || l.Event != "" {
			continue
		}
		a := rounds[l.Round]
		if a == nil {
			a = &answer{query: -1}
			rounds[l.Round] = a
		}
		fields := map[string]*[]int{
			"all_shard": &a.all.shards, "all_id": &a.all.ids, "all_answered": &a.all.answered,
			"near_shard": &a.near.shards, "near_id": &a.near.ids, "near_answered": &a.near.answered,
		}
		if f := fields[l.Name]; f != nil {
			if err := json.Unmarshal(l.Value, f); err != nil {
				return nil, fmt.Errorf("%s: %w", line, err)
			}
		}
		if l.Name == "query" {
			var number [1]int
			if err := json.Unmarshal(l.Value, &number); err != nil {
				return nil, fmt.Errorf("%s: %w", line, err)
			}
			a.query = number[0]
		}
		if l.Name == "all_answered" {
			list = append(list, a)
		}
	}
	if len(list) != program.Queries {
		return nil, fmt.Errorf("%d answers, want %d\n%s", len(list), program.Queries, lines)
	}
	return list, nil
}

// Gossip runs thousands of peers in the simulator that compute the mean of their measurements without a
// server: each knows a few others, and periodically sends half of its value to one of them. The last line is
// a JSON object.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/bbgen/bbgen/examples/gossip/program"
	"github.com/bbgen/bbgen/examples/gossip/program/sensor"
	"github.com/bbgen/bbgen/runtime/host/sim"

	"github.com/bbgen/bbgen/examples/gossip/peer/peer/partition"
)

func main() {
	log.SetFlags(0)
	var o options
	flag.IntVar(&o.peers, "n", 2000, "how many `peers` there are")
	flag.DurationVar(&o.long, "for", 61*time.Second, "how much virtual `time` passes")
	flag.StringVar(&o.chaos, "chaos", "", "what goes wrong, as in loss=5%,faults=100")
	flag.Parse()
	if err := run(os.Stdout, o); err != nil {
		log.Fatal(err)
	}
}

type options struct {
	peers int
	long  time.Duration
	chaos string
}

const seed = 1

// run runs the peers. Each report has the largest distance of a peer from the mean; the last line has that of
// the last report.
func run(w io.Writer, o options) error {
	args := []string{"-n", "peer=" + strconv.Itoa(o.peers), "-seed", strconv.Itoa(seed), "-for", o.long.String(), "-measure"}
	if o.chaos != "" {
		args = append(args, "-chaos", o.chaos)
	}
	mean := 0.0
	for rank := range o.peers {
		mean += sensor.Celsius(seed, rank) / float64(o.peers)
	}
	events, end := io.Pipe()
	go func() {
		end.CloseWithError(sim.Do(sim.Program{Name: "gossip", Classes: []sim.Class{{Name: "peer", Partition: partition.Default}}}, args, end, io.Discard))
	}()
	told, err := follow(w, events, mean)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(map[string]any{
		"peers": o.peers, "mean": mean, "off": told.off, "reports": told.reports, "memory_mib": told.memory >> 20, "seconds": math.Round(told.wall*10) / 10,
	})
}

// told is the result of a run.
type told struct {
	off     float64 // of the last report
	reports int     // in the second of the last report
	memory  uint64  // maximum in bytes
	wall    float64 // seconds of real time
}

// follow reads the peers' events, and writes a line for each time at which they report.
func follow(w io.Writer, events io.Reader, mean float64) (t told, err error) {
	at := -1.0
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Time, Wall float64
			Name       string
			Value      []float64
			Memory     uint64
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return t, fmt.Errorf("%s: %w", lines.Bytes(), err)
		}
		t.memory, t.wall = max(t.memory, l.Memory), max(t.wall, l.Wall)
		if l.Name != "mean" || len(l.Value) != 1 {
			continue
		}
		if period := math.Floor(l.Time / program.Report.Seconds()); period != at {
			t.print(w, at)
			at, t.off, t.reports = period, 0, 0
		}
		t.off = max(t.off, math.Abs(l.Value[0]-mean))
		t.reports++
	}
	t.print(w, at)
	return t, lines.Err()
}

// print writes a line about a report, unless at is negative.
func (t *told) print(w io.Writer, at float64) {
	if at >= 0 {
		fmt.Fprintf(w, "after %2.0f s: %d peers, each at most %.2g off\n", at*program.Report.Seconds(), t.reports, t.off)
	}
}

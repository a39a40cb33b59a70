// Robust runs a federation of eight clients three times in the simulator: with the mean, the median and Krum.
// One client sends the opposite of its change, multiplied by ten. The last line is a JSON object.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/examples/robust/program"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/sim"

	client "github.com/bbgen/bbgen/examples/robust/peer/client/partition"
	server "github.com/bbgen/bbgen/examples/robust/peer/server/partition"
)

func main() {
	log.SetFlags(0)
	flip := flag.Float64("flip", 10, "how many times as `far` the hostile client goes, the other way; 0: it is honest")
	chaos := flag.String("chaos", "", "what goes wrong, as in loss=5%,kill=10%")
	flag.Parse()
	if err := run(os.Stdout, float32(*flip), *chaos); err != nil {
		log.Fatal(err)
	}
}

// rules are the rules by which the server can aggregate.
var rules = []string{"mean", "median", "krum"}

// run runs the federation with each rule. The last line has the accuracy of each.
func run(w io.Writer, flip float32, chaos string) error {
	dir, err := os.MkdirTemp("", "robust")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := drawn.Write(dir, 8000, program.Tests); err != nil {
		return err
	}
	last := map[string]any{"rounds": program.Rounds, "hostile": program.Hostile}
	for _, rule := range rules {
		accuracy, err := federation(dir, rule, flip, chaos)
		if err != nil {
			return fmt.Errorf("%s: %w", rule, err)
		}
		fmt.Fprintf(w, "%-6s  %.1f %% of the digits read right\n", rule, 100*accuracy)
		last[rule] = accuracy
	}
	return json.NewEncoder(w).Encode(last)
}

// federation returns the accuracy of the last model with a rule.
func federation(data, rule string, flip float32, chaos string) (accuracy float64, err error) {
	args := []string{"-n", "client=" + strconv.Itoa(program.Clients), "-data", data}
	if chaos != "" {
		args = append(args, "-chaos", chaos)
	}
	var out bytes.Buffer
	p := sim.Program{Name: "robust", Classes: []sim.Class{
		{Name: "client", Partition: clients(flip)}, {Name: "server", Partition: by(rule)},
	}}
	if err := sim.Do(p, args, &out, io.Discard); err != nil {
		return 0, err
	}
	told := 0
	for line := range bytes.Lines(out.Bytes()) {
		var l struct {
			Name  string
			Value []float64
		}
		if json.Unmarshal(line, &l) == nil && l.Name == "accuracy" && len(l.Value) == 1 {
			accuracy = l.Value[0]
			told++
		}
	}
	if told == 0 {
		return 0, fmt.Errorf("no accuracy\n%s", out.Bytes())
	}
	return accuracy, nil
}

// by returns a server with a rule.
func by(rule string) func(runtime.Env) (*runtime.Partition, error) {
	return func(env runtime.Env) (*runtime.Partition, error) {
		c := server.DefaultConfig()
		c.Rule.Name = rule
		return server.Partition(env, c)
	}
}

// clients returns clients of which the first ones are hostile.
func clients(flip float32) func(runtime.Env) (*runtime.Partition, error) {
	return func(env runtime.Env) (*runtime.Partition, error) {
		c := client.DefaultConfig()
		if env.Rank < program.Hostile {
			c.Sender.Flip = flip
		}
		return client.Partition(env, c)
	}
}

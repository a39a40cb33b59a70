// Scaffold trains the quadratic functions of SCAFFOLD's paper with two clients in the simulator, with
// federated averaging and with SCAFFOLD: the more the clients differ, the farther from the optimum does
// federated averaging converge. The last line is a JSON object.
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
	"strconv"

	"github.com/bbgen/bbgen/examples/scaffold/program"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/sim"

	client "github.com/bbgen/bbgen/examples/scaffold/peer/client/partition"
	server "github.com/bbgen/bbgen/examples/scaffold/peer/server/partition"
)

func main() {
	log.SetFlags(0)
	chaos := flag.String("chaos", "", "what goes wrong, as in loss=5%,kill=10%")
	flag.Parse()
	if err := run(os.Stdout, *chaos); err != nil {
		log.Fatal(err)
	}
}

// differences are the differences between the clients' gradients.
var differences = []float64{1, 10, 100}

// strategies are the names of the values that the server emits.
var strategies = []string{"fedavg", "scaffold"}

// run runs the federation for each difference. The last line has the distance of the models from the optimum
// for the largest.
func run(w io.Writer, chaos string) error {
	last := map[string]any{"rounds": program.Rounds, "steps": program.Steps}
	fmt.Fprintln(w, "how far from the best model, by how much the clients differ")
	for _, g := range differences {
		off, err := federation(g, chaos)
		if err != nil {
			return fmt.Errorf("G %v: %w", g, err)
		}
		fmt.Fprintf(w, "G = %-4v", g)
		for _, name := range strategies {
			at := off[name][len(off[name])-1]
			fmt.Fprintf(w, "  %s %9.2g", name, at)
			last[name] = at
		}
		fmt.Fprintln(w)
	}
	return json.NewEncoder(w).Encode(last)
}

// federation returns the distance of the models from the optimum after each round, by strategy.
func federation(g float64, chaos string) (map[string][]float64, error) {
	args := []string{"-n", "client=" + strconv.Itoa(program.Clients)}
	if chaos != "" {
		args = append(args, "-chaos", chaos)
	}
	var out bytes.Buffer
	p := sim.Program{Name: "scaffold", Classes: []sim.Class{{Name: "client", Partition: clients(g)}, {Name: "server", Partition: server.Default}}}
	if err := sim.Do(p, args, &out, io.Discard); err != nil {
		return nil, err
	}
	off := map[string][]float64{}
	for line := range bytes.Lines(out.Bytes()) {
		var l struct {
			Name  string
			Value []float64
		}
		if json.Unmarshal(line, &l) == nil && len(l.Value) == 1 {
			off[l.Name] = append(off[l.Name], math.Abs(l.Value[0]))
		}
	}
	for _, name := range strategies {
		if n := len(off[name]); n != program.Rounds {
			return nil, fmt.Errorf("%d rounds of %s, want %d\n%s", n, name, program.Rounds, out.Bytes())
		}
	}
	return off, nil
}

// clients returns clients with functions that differ by G.
func clients(g float64) func(runtime.Env) (*runtime.Partition, error) {
	return func(env runtime.Env) (*runtime.Partition, error) {
		c := client.DefaultConfig()
		c.Task.G = g
		return client.Partition(env, c)
	}
}

// Private runs a federation of twenty clients in the simulator. The server does not see the change of any
// client, but only their sum with noise. The last line is a JSON object.
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
	"github.com/bbgen/bbgen/examples/private/program"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dp/accountant"
	"github.com/bbgen/bbgen/runtime/host/sim"

	client "github.com/bbgen/bbgen/examples/private/peer/client/partition"
	server "github.com/bbgen/bbgen/examples/private/peer/server/partition"
)

func main() {
	log.SetFlags(0)
	noise := flag.Float64("noise", program.Noise, "deviation of the noise in the sum, divided by what one client can change")
	delta := flag.Float64("delta", 1e-3, "what epsilon is told for")
	chaos := flag.String("chaos", "kill=5%", "what goes wrong, as in loss=5%,kill=10%")
	flag.Parse()
	if err := run(os.Stdout, *noise, *delta, *chaos); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Rounds   int      `json:"rounds"`
	Clients  float64  `json:"clients"` // in the last sum
	Accuracy float64  `json:"accuracy"`
	Epsilon  *float64 `json:"epsilon"` // null: no bound, as there is no noise
	Delta    float64  `json:"delta"`
}

// run runs the federation.
func run(w io.Writer, noise, delta float64, chaos string) error {
	dir, err := os.MkdirTemp("", "private")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := drawn.Write(dir, 8000, program.Tests); err != nil {
		return err
	}
	args := []string{"-n", "client=" + strconv.Itoa(program.Clients), "-data", dir}
	if chaos != "" {
		args = append(args, "-chaos", chaos)
	}
	var out bytes.Buffer
	p := sim.Program{Name: "private", Classes: []sim.Class{
		{Name: "client", Partition: clients(noise)}, {Name: "server", Partition: servers(noise)},
	}}
	if err := sim.Do(p, args, &out, io.Discard); err != nil {
		return err
	}
	r := result{Delta: delta}
	for line := range bytes.Lines(out.Bytes()) {
		r.read(w, line)
	}
	if r.Rounds == 0 {
		return fmt.Errorf("no round\n%s", out.Bytes())
	}
	if noise > 0 {
		epsilon, err := accountant.PLD(delta, accountant.Mechanism{Noise: noise, Rounds: program.Rounds})
		if err != nil {
			return err
		}
		r.Epsilon = &epsilon
	}
	return json.NewEncoder(w).Encode(r)
}

// read handles a line of the simulator.
func (r *result) read(w io.Writer, line []byte) {
	var l struct {
		Name  string
		Value []float64
	}
	if json.Unmarshal(line, &l) != nil || len(l.Value) != 1 {
		return
	}
	switch l.Name {
	case "clients":
		r.Clients = l.Value[0]
	case "accuracy":
		r.Accuracy = l.Value[0]
		r.Rounds++
		fmt.Fprintf(w, "round %d: %.1f %% of the digits read right\n", r.Rounds, 100*r.Accuracy)
	}
}

// clients returns clients with the given noise.
func clients(noise float64) func(runtime.Env) (*runtime.Partition, error) {
	return func(env runtime.Env) (*runtime.Partition, error) {
		c := client.DefaultConfig()
		c.Encoder.Noise = noise
		return client.Partition(env, c)
	}
}

// servers returns servers for the given noise.
func servers(noise float64) func(runtime.Env) (*runtime.Partition, error) {
	return func(env runtime.Env) (*runtime.Partition, error) {
		c := server.DefaultConfig()
		c.Decoder.Noise = noise
		return server.Partition(env, c)
	}
}

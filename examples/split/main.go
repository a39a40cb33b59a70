// Split trains a network in two halves: the first is on the peer with the data, and the second on another
// peer, which is a process of its own. It compares the losses with those of the whole network on one machine.
// The last line is a JSON object.
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
	"time"

	"github.com/bbgen/bbgen/examples/split/points"
	"github.com/bbgen/bbgen/examples/split/program"
	"github.com/bbgen/bbgen/examples/split/whole"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/sim"
	"github.com/bbgen/bbgen/runtime/model"

	client "github.com/bbgen/bbgen/examples/split/peer/client/partition"
	server "github.com/bbgen/bbgen/examples/split/peer/server/partition"
)

//go:generate go run ./gen

func main() {
	log.SetFlags(0)
	sim := flag.Bool("sim", false, "run both peers in this process, in virtual time")
	flag.Parse()
	split := processes
	if *sim {
		split = func() ([]float64, error) { return simulated(nil) }
	}
	if err := run(os.Stdout, split); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Rounds int     `json:"rounds"`
	Loss   float64 `json:"loss"`
	Off    float64 `json:"off"` // the largest difference between the two
}

// run compares the losses that split returns with those of one machine.
func run(w io.Writer, split func() ([]float64, error)) error {
	want, err := central()
	if err != nil {
		return err
	}
	got, err := split()
	if err != nil {
		return err
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d losses, want %d", len(got), len(want))
	}
	r := result{Rounds: len(got), Loss: got[len(got)-1]}
	for i := range got {
		r.Off = max(r.Off, math.Abs(got[i]-want[i]))
		if i%10 == 9 {
			fmt.Fprintf(w, "round %2d: loss %.6f, on one machine %.6f\n", i+1, got[i], want[i])
		}
	}
	return json.NewEncoder(w).Encode(r)
}

// central returns the losses of the whole network on one machine.
func central() ([]float64, error) {
	t, err := whole.NewTrainer(model.TrainOptions{})
	if err != nil {
		return nil, err
	}
	data := program.Data
	var out []float64
	for round := range int64(program.Rounds) {
		x, corners, err := data.Batch(round)
		if err != nil {
			return nil, err
		}
		loss, err := t.Step(&whole.Batch{Batch: points.Count, Point: x.Data, Target: corners.Data})
		if err != nil {
			return nil, err
		}
		out = append(out, loss)
	}
	return out, nil
}

// processes returns the losses that the server passes to its host. Both peers are processes that communicate
// over libp2p.
func processes() ([]float64, error) {
	dir, err := os.MkdirTemp("", "split")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/examples/split/peer", "client", "server")
	if err != nil {
		return nil, err
	}
	fleet, err := launch.Start(launch.Options{Dir: dir, Peers: []launch.Peer{
		{Class: "client", Binary: bin["client"]},
		{Class: "server", Binary: bin["server"]},
	}})
	if err != nil {
		return nil, err
	}
	defer fleet.Stop()
	var out []float64
	late := time.After(time.Minute)
	for len(out) < program.Rounds {
		select {
		case l := <-fleet.Lines():
			if values, ok := l.Value.([]any); ok && l.Name == "server.loss" && len(values) == 1 {
				loss, _ := values[0].(float64)
				out = append(out, loss)
			}
			if l.Kind == "exited" {
				return nil, fmt.Errorf("%s has ended: %s", l.Peer, l.Error)
			}
		case <-late:
			return nil, fmt.Errorf("%d of %d rounds are over within a minute", len(out), program.Rounds)
		}
	}
	return out, nil
}

// simulated returns the losses that the server passes to its host in the simulator.
func simulated(args []string) ([]float64, error) {
	p := sim.Program{Name: "split", Classes: []sim.Class{{Name: "client", Partition: client.Default}, {Name: "server", Partition: server.Default}}}
	var lines bytes.Buffer
	if err := sim.Do(p, args, &lines, os.Stderr); err != nil {
		return nil, err
	}
	var out []float64
	for b := range bytes.Lines(lines.Bytes()) {
		var l struct {
			Name  string
			Value json.RawMessage
		}
		if err := json.Unmarshal(b, &l); err != nil {
			return nil, err
		}
		if l.Name != "loss" {
			continue
		}
		var loss [1]float64
		if err := json.Unmarshal(l.Value, &loss); err != nil {
			return nil, err
		}
		out = append(out, loss[0])
	}
	return out, nil
}

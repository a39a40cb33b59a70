// Dataparallel trains a network for digits with eight processes, each with its own digits. One is killed
// during the training, and the others continue. Later it is restarted and joins them. The last line is a JSON
// object.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/bbgen/bbgen/examples/dataparallel/program"
	"github.com/bbgen/bbgen/examples/internal/workers"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Workers  int     `json:"workers"` // at the end
	Steps    int     `json:"steps"`
	Accuracy float64 `json:"accuracy"`  // of the last ten steps
	Loss     float64 `json:"loss"`      // of the last step
	Same     bool    `json:"same_bits"` // all workers had the same parameters after each step
	Model    string  `json:"model"`     // SHA-256 of the parameters
	Killed   int     `json:"killed"`    // by kill -9
	Entered  int     `json:"entered"`   // the step before which the restarted worker joined
	Pause    float64 `json:"pause_ms"`  // from the kill to the next step
	Seconds  float64 `json:"seconds"`   // from the first step to the last
}

// The steps after which the worker is killed and restarted.
const (
	killAfter    = 40
	restartAfter = 60
	victim       = 5
)

func run(w io.Writer) error {
	dir, err := os.MkdirTemp("", "dataparallel")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fleet, err := workers.Start(dir, "dataparallel", program.Workers)
	if err != nil {
		return err
	}
	defer fleet.Stop()
	s := &story{w: w, fleet: fleet, steps: map[string]int{}, first: map[string]int{}, models: map[string][]string{}}
	s.Workers = program.Workers
	return s.tell()
}

// story follows the steps, and triggers the events.
type story struct {
	w          io.Writer
	fleet      *launch.Fleet
	began      time.Time
	killed     time.Time
	steps      map[string]int      // by peer: its last step
	first      map[string]int      // by peer: its first step
	models     map[string][]string // by peer: the parameters after each of its steps
	accuracies []float64           // as reported by the first peer
	result
}

func (s *story) tell() error {
	for !s.over() {
		l, err := workers.Next(s.fleet, workers.Name(victim))
		if err == nil {
			err = s.line(l)
		}
		if err != nil {
			return err
		}
	}
	s.Seconds = time.Since(s.began).Seconds()
	s.judge()
	return json.NewEncoder(s.w).Encode(s.result)
}

// over reports whether all remaining peers have made all steps.
func (s *story) over() bool {
	done := 0
	for _, n := range s.steps {
		if n == program.Steps {
			done++
		}
	}
	return done == s.Workers
}

// line handles a line written by a peer.
func (s *story) line(l peer.Line) error {
	if l.Kind == "exited" && l.Peer == workers.Name(victim) {
		delete(s.steps, l.Peer)
		delete(s.first, l.Peer)
		delete(s.models, l.Peer)
	}
	if l.Kind != "emitted" {
		return nil
	}
	switch l.Name {
	case "worker.model":
		s.models[l.Peer] = append(s.models[l.Peer], l.Hash)
	case "worker.accuracy":
		if l.Peer == workers.Name(0) {
			s.accuracies = append(s.accuracies, workers.Number(l))
		}
	case "worker.step":
		s.steps[l.Peer] = int(workers.Number(l))
		if s.first[l.Peer] == 0 {
			s.first[l.Peer] = s.steps[l.Peer]
		}
	case "worker.loss":
		if l.Peer == workers.Name(0) {
			return s.step(workers.Number(l))
		}
	}
	return nil
}

// step handles a step of the first peer.
func (s *story) step(loss float64) error {
	if s.Steps++; s.Steps == 1 {
		s.began = time.Now()
	}
	s.Loss = loss
	if s.Killed > 0 && s.Pause == 0 {
		s.Pause = float64(time.Since(s.killed).Microseconds()) / 1000
	}
	if s.Steps%20 == 0 {
		fmt.Fprintf(s.w, "step %3d: loss %.4f\n", s.Steps, loss)
	}
	switch s.Steps {
	case killAfter:
		return s.kill()
	case restartAfter:
		fmt.Fprintf(s.w, "          worker %d is started again\n", victim)
		s.Workers++
		return s.fleet.Restart(victim)
	}
	return nil
}

// kill kills a worker and discards its results.
func (s *story) kill() error {
	fmt.Fprintf(s.w, "          worker %d is killed\n", victim)
	s.Killed, s.Workers, s.killed = 1, s.Workers-1, time.Now()
	return s.fleet.Kill(victim)
}

// judge compares the peers' models.
func (s *story) judge() {
	first := s.models[workers.Name(0)]
	s.Same, s.Model, s.Entered = true, first[len(first)-1], s.first[workers.Name(victim)]
	for peer, list := range s.models {
		for i, hash := range list {
			s.Same = s.Same && hash == first[s.first[peer]-1+i]
		}
	}
	last := s.accuracies[len(s.accuracies)-10:]
	for _, a := range last {
		s.Accuracy += a / float64(len(last))
	}
}

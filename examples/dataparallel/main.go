// Dataparallel trains a network for digits with eight processes, of which each has digits
// of its own. One is killed in the middle, and the others go on. The last line is a JSON
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
	Pause    float64 `json:"pause_ms"`  // from the kill to the next step
	Seconds  float64 `json:"seconds"`   // from the first step to the last
}

// After which step who is killed.
const (
	killAfter = 40
	victim    = 5
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
	s := &story{w: w, fleet: fleet, losses: map[string]int{}, models: map[string][]string{}}
	s.Workers = program.Workers
	return s.tell()
}

// story follows the steps, and makes something happen.
type story struct {
	w          io.Writer
	fleet      *launch.Fleet
	began      time.Time
	killed     time.Time
	losses     map[string]int      // by peer: how many it has told
	models     map[string][]string // by peer: the parameters after each step
	accuracies []float64           // as the first peer tells them
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

// over reports whether all who are left have made all steps.
func (s *story) over() bool {
	done := 0
	for _, n := range s.losses {
		if n == program.Steps {
			done++
		}
	}
	return done == s.Workers
}

// line looks at what a peer says.
func (s *story) line(l peer.Line) error {
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
	case "worker.loss":
		s.losses[l.Peer]++
		if l.Peer == workers.Name(0) {
			return s.step(workers.Number(l))
		}
	}
	return nil
}

// step is what happens when the first peer has made a step.
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
	if s.Steps != killAfter {
		return nil
	}
	fmt.Fprintf(s.w, "          worker %d is killed\n", victim)
	s.Killed, s.Workers, s.killed = 1, s.Workers-1, time.Now()
	delete(s.losses, workers.Name(victim))
	return s.fleet.Kill(victim)
}

// judge compares the peers' models.
func (s *story) judge() {
	first := s.models[workers.Name(0)]
	s.Same, s.Model = true, first[len(first)-1]
	for _, list := range s.models {
		for i, hash := range list {
			s.Same = s.Same && hash == first[i]
		}
	}
	last := s.accuracies[len(s.accuracies)-10:]
	for _, a := range last {
		s.Accuracy += a / float64(len(last))
	}
}

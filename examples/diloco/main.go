// Diloco trains a network for digits with four processes. They train alone, and each part of the network makes one
// joint step after every twenty, while they train on. This needs a twentieth of the traffic of averaging the gradients of
// each step.
// The last line is a JSON object.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/bbgen/bbgen/examples/diloco/program"
	"github.com/bbgen/bbgen/examples/internal/workers"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func main() {
	log.SetFlags(0)
	kill := flag.Int("kill", 0, "kill a worker after so many `rounds`: the others go on")
	flag.Parse()
	if err := run(os.Stdout, *kill); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Workers  int     `json:"workers"` // at the end
	Rounds   int     `json:"rounds"`
	Steps    int     `json:"local_steps"`          // of each worker in a round
	Accuracy float64 `json:"accuracy"`             // of the last three rounds
	Same     bool    `json:"same_bits"`            // all workers had the same joint parameters after each round
	Model    string  `json:"model"`                // SHA-256 of the parameters
	Sent     int64   `json:"sent"`                 // bytes, by all workers
	Over     float64 `json:"sent_over_every_step"` // bytes relative to those for summing the gradients of each step
	Seconds  float64 `json:"seconds"`              // from the first round to the last
}

// victim is the rank of the worker that is killed, if one is.
const victim = 2

// run trains. If kill is not 0 it kills a worker after so many rounds.
func run(w io.Writer, kill int) error {
	dir, err := os.MkdirTemp("", "diloco")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fleet, err := workers.Start(dir, "diloco", program.Workers)
	if err != nil {
		return err
	}
	defer fleet.Stop()
	s := &story{w: w, fleet: fleet, kill: kill, models: map[string][]string{}, told: map[string]int{}, sent: map[string]int64{}}
	s.Workers = program.Workers
	if err := s.listen(); err != nil {
		return err
	}
	s.judge()
	return json.NewEncoder(w).Encode(s.result)
}

// story follows the rounds.
type story struct {
	w          io.Writer
	fleet      *launch.Fleet
	kill       int // after how many rounds a worker is killed; 0: none is
	killed     string
	began      time.Time
	models     map[string][]string // by peer: the parameters after each round
	parameters int
	told       map[string]int   // by peer: the number of reported accuracies
	accuracies []float64        // as reported by the first peer
	sent       map[string]int64 // bytes by peer, at the end
	result
}

// listen reads the peers' events until all rounds are over and all remaining peers have reported the bytes that they
// sent.
func (s *story) listen() error {
	for !s.over() || len(s.sent) < s.Workers {
		l, err := workers.Next(s.fleet, s.killed)
		if err != nil {
			return err
		}
		switch {
		case l.Peer == s.killed:
		case l.Kind == "status" && s.over():
			s.sent[l.Peer] = l.Status.Out
		case l.Kind != "emitted":
		case l.Name == "worker.model":
			s.models[l.Peer] = append(s.models[l.Peer], l.Hash)
			if _, err := fmt.Sscanf(l.Type, "float32[%d]", &s.parameters); err != nil {
				return fmt.Errorf("the parameters are %s: %w", l.Type, err)
			}
		case l.Name == "worker.accuracy":
			s.told[l.Peer]++
			if l.Peer == workers.Name(0) {
				if err := s.round(workers.Number(l)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// over reports whether all remaining peers have made all rounds.
func (s *story) over() bool {
	done := 0
	for peer, n := range s.told {
		if n == program.Rounds && peer != s.killed {
			done++
		}
	}
	return done == s.Workers
}

// round handles the evaluation of a model by the first peer.
func (s *story) round(accuracy float64) error {
	if s.Rounds++; s.Rounds == 1 {
		s.began = time.Now()
	}
	s.accuracies = append(s.accuracies, accuracy)
	s.Seconds = time.Since(s.began).Seconds()
	fmt.Fprintf(s.w, "round %2d: %.1f %% of the digits read right\n", s.Rounds, 100*accuracy)
	if s.Rounds != s.kill {
		return nil
	}
	fmt.Fprintf(s.w, "          worker %d is killed\n", victim)
	s.Workers, s.killed = s.Workers-1, workers.Name(victim)
	return s.fleet.Kill(victim)
}

// judge compares the peers' models, and the traffic with that of averaging gradients.
func (s *story) judge() {
	s.Steps = program.Steps
	first := s.models[workers.Name(0)]
	s.Same, s.Model = true, first[len(first)-1]
	for _, list := range s.models {
		for i, hash := range list {
			s.Same = s.Same && hash == first[i]
		}
	}
	last := s.accuracies[len(s.accuracies)-3:]
	for _, a := range last {
		s.Accuracy += a / float64(len(last))
	}
	for _, n := range s.sent {
		s.Sent += n
	}
	spec := collective.Spec{Elem: tensor.Float32}
	gradients := spec.Traffic(4*s.parameters, program.Workers, collective.Links{})
	s.Over = float64(s.Sent) / float64(gradients.Bytes*program.Rounds*program.Steps)
}

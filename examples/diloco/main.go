// Diloco trains a network for digits with four processes. They train alone, and each part of the network makes one
// joint step after every twenty, while they train on. This needs a twentieth of the traffic of averaging the gradients of
// each step.
// The last line is a JSON object.
package main

import (
	"encoding/json"
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
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Workers  int     `json:"workers"`
	Rounds   int     `json:"rounds"`
	Steps    int     `json:"local_steps"`          // of each worker in a round
	Accuracy float64 `json:"accuracy"`             // of the last three rounds
	Same     bool    `json:"same_bits"`            // all workers had the same joint parameters after each round
	Model    string  `json:"model"`                // SHA-256 of the parameters
	Sent     int64   `json:"sent"`                 // bytes, by all workers
	Over     float64 `json:"sent_over_every_step"` // bytes relative to those for summing the gradients of each step
	Seconds  float64 `json:"seconds"`              // from the first round to the last
}

func run(w io.Writer) error {
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
	s := &story{w: w, models: map[string][]string{}, sent: map[string]int64{}}
	if err := s.listen(fleet); err != nil {
		return err
	}
	s.judge()
	return json.NewEncoder(w).Encode(s.result)
}

// story follows the rounds.
type story struct {
	w          io.Writer
	began      time.Time
	models     map[string][]string // by peer: the parameters after each round
	parameters int
	told       int              // number of reported accuracies of all workers
	accuracies []float64        // as reported by the first peer
	sent       map[string]int64 // bytes by peer, at the end
	result
}

// listen reads the peers' events until all rounds are over and all peers have reported the bytes that they
// sent.
func (s *story) listen(fleet *launch.Fleet) error {
	for s.told < program.Workers*program.Rounds || len(s.sent) < program.Workers {
		l, err := workers.Next(fleet, "")
		if err != nil {
			return err
		}
		switch {
		case l.Kind == "status" && s.told == program.Workers*program.Rounds:
			s.sent[l.Peer] = l.Status.Out
		case l.Kind != "emitted":
		case l.Name == "worker.model":
			s.models[l.Peer] = append(s.models[l.Peer], l.Hash)
			if _, err := fmt.Sscanf(l.Type, "float32[%d]", &s.parameters); err != nil {
				return fmt.Errorf("the parameters are %s: %w", l.Type, err)
			}
		case l.Name == "worker.accuracy":
			s.told++
			if l.Peer == workers.Name(0) {
				s.round(workers.Number(l))
			}
		}
	}
	return nil
}

// round handles the evaluation of a model by the first peer.
func (s *story) round(accuracy float64) {
	if s.Rounds++; s.Rounds == 1 {
		s.began = time.Now()
	}
	s.accuracies = append(s.accuracies, accuracy)
	s.Seconds = time.Since(s.began).Seconds()
	fmt.Fprintf(s.w, "round %2d: %.1f %% of the digits read right\n", s.Rounds, 100*accuracy)
}

// judge compares the peers' models, and the traffic with that of averaging gradients.
func (s *story) judge() {
	s.Workers, s.Steps = program.Workers, program.Steps
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

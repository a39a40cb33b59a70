// Raftserver runs federated averaging with three servers and four clients, as processes on this machine. The
// servers replicate the outcome of the rounds. The leader is killed during the run: another server takes
// over, and the killed one restarts and has the same model in the end. The last line is a JSON object.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/examples/internal/workers"
	"github.com/bbgen/bbgen/examples/raftserver/program"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

func main() {
	log.SetFlags(0)
	calm := flag.Bool("calm", false, "no peer is killed")
	flag.Parse()
	if err := run(os.Stdout, *calm); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Rounds   int      `json:"rounds"`
	Servers  int      `json:"servers"`
	Led      []string `json:"led"` // the leaders, in order
	Killed   string   `json:"killed"`
	Accuracy float64  `json:"accuracy"`
	Same     bool     `json:"same_model"` // on all servers, bit for bit
	Seconds  float64  `json:"seconds"`    // from the first round to the last
}

// The rounds after which events are triggered.
const (
	kill    = 4
	restart = 9
)

func run(w io.Writer, calm bool) error {
	dir, err := os.MkdirTemp("", "raftserver")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data := filepath.Join(dir, "digits")
	if err := os.Mkdir(data, 0o777); err != nil {
		return err
	}
	if err := drawn.Write(data, 4000, program.Tests); err != nil {
		return err
	}
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/examples/raftserver/peer", "server", "client")
	if err != nil {
		return err
	}
	o := launch.Options{Dir: dir, State: true, Seed: 1, Log: io.Discard}
	for class, n := range map[string]int{"server": program.Servers, "client": program.Clients} {
		for rank := range n {
			o.Peers = append(o.Peers, launch.Peer{Class: class, Rank: rank, Binary: bin[class], Args: []string{"-host", "tcp", "-data", data}})
		}
	}
	fleet, err := launch.Start(o)
	if err != nil {
		return err
	}
	defer fleet.Stop()
	s := &story{w: w, fleet: fleet, peers: o.Peers, calm: calm, last: map[string]string{}, round: map[string]int{}, exec: map[string]uint64{}}
	s.Servers = program.Servers
	return s.tell()
}

// story follows the rounds and triggers the events.
type story struct {
	w     io.Writer
	fleet *launch.Fleet
	peers []launch.Peer
	calm  bool
	began time.Time
	round map[string]int    // by server: number of rounds with a reported outcome
	exec  map[string]uint64 // by server: the execution of the report
	last  map[string]string // by server: the hash of the last model
	result
}

// patience is the longest time without an event.
const patience = 2 * time.Minute

func (s *story) tell() error {
	for !s.over() {
		select {
		case l := <-s.fleet.Lines():
			if err := s.line(l); err != nil {
				return err
			}
		case <-time.After(patience):
			return errors.New("nothing has happened for two minutes")
		}
	}
	s.Seconds = time.Since(s.began).Seconds()
	s.Same = true
	for _, hash := range s.last {
		s.Same = s.Same && hash == s.last["server-0"]
	}
	return json.NewEncoder(s.w).Encode(s.result)
}

// over reports whether all servers have the last model.
func (s *story) over() bool {
	return len(s.last) == program.Servers && s.Accuracy > 0
}

// line handles a line written by a peer.
func (s *story) line(l peer.Line) error {
	_, name, _ := strings.Cut(l.Name, ".")
	switch {
	case l.Kind == "ended" && l.Error != "":
		return fmt.Errorf("%s: %s", l.Peer, l.Error)
	case l.Kind != "emitted":
	case name == "model" && s.round[l.Peer] == program.Rounds && s.exec[l.Peer] == l.Round:
		s.last[l.Peer] = l.Hash
	case name == "accuracy":
		s.Accuracy = workers.Number(l)
	case name == "leader" && s.round[l.Peer] == s.Rounds:
		return s.leads(fmt.Sprint("server-", workers.Number(l)))
	case name == "round":
		s.round[l.Peer], s.exec[l.Peer] = int(workers.Number(l))+1, l.Round
		return s.decided(s.round[l.Peer])
	}
	return nil
}

// leads records the leader when a server has a new model.
func (s *story) leads(server string) error {
	if n := len(s.Led); server != "server--1" && (n == 0 || s.Led[n-1] != server) {
		s.Led = append(s.Led, server)
		fmt.Fprintf(s.w, "          %s leads\n", server)
	}
	if s.calm || s.Killed != "" || s.Rounds < kill {
		return nil
	}
	s.Killed = server
	fmt.Fprintf(s.w, "          %s is killed\n", server)
	return s.fleet.Kill(s.index(server))
}

// decided handles the outcome of a server's rounds.
func (s *story) decided(rounds int) error {
	if rounds <= s.Rounds {
		return nil
	}
	if s.Rounds == 0 {
		s.began = time.Now()
	}
	before := s.Rounds
	s.Rounds = rounds
	fmt.Fprintf(s.w, "round %2d is decided\n", rounds)
	if s.Killed == "" || before >= restart || rounds < restart {
		return nil
	}
	fmt.Fprintf(s.w, "          %s is back\n", s.Killed)
	return s.fleet.Restart(s.index(s.Killed))
}

// index returns the index of the peer with the given name.
func (s *story) index(name string) int {
	for i, p := range s.peers {
		if p.Name() == name {
			return i
		}
	}
	return -1
}

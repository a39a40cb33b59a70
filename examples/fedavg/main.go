// Fedavg runs federated learning on this machine: a server and eight clients as processes that communicate
// over libp2p. One client is killed and restarted. The server is killed in the middle of a round, and
// continues from its snapshot. The last line is a JSON object.
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
	"strconv"
	"time"

	"github.com/bbgen/bbgen/examples/fedavg/program"
	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "`folder` with MNIST's files, instead of rendered digits")
	calm := flag.Bool("calm", false, "no peer is killed")
	host := flag.String("host", "libp2p", "what peers talk `over`: libp2p or tcp")
	flag.Parse()
	if err := run(os.Stdout, *data, *host, *calm); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Rounds    int     `json:"rounds"`
	Accuracy  float64 `json:"accuracy"`
	Model     string  `json:"model"`     // SHA-256 of the parameters
	Seconds   float64 `json:"seconds"`   // from the first round to the last
	Killed    int     `json:"killed"`    // clients, by kill -9
	Restarted int     `json:"restarted"` // number of times that the server continued from its snapshot
}

// The rounds after which events are triggered.
const (
	killClient    = 5
	restartClient = 8
	restartServer = 12
	victim        = 4 // the index of the client among the peers; the server has index 0
)

func run(w io.Writer, data, host string, calm bool) error {
	dir, err := os.MkdirTemp("", "fedavg")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/examples/fedavg/peer", "server", "client")
	if err != nil {
		return err
	}
	return federate(w, dir, bin, data, host, program.Rounds, calm)
}

// federate runs peers from built binaries in a folder, for a number of rounds.
func federate(w io.Writer, dir string, bin map[string]string, data, host string, rounds int, calm bool) error {
	if data == "" {
		data = filepath.Join(dir, "digits")
		if err := os.Mkdir(data, 0o777); err != nil {
			return err
		}
		if err := drawn.Write(data, 8000, 1000); err != nil {
			return err
		}
	}
	args := []string{"-host", host, "-data", data}
	peers := []launch.Peer{{Class: "server", Binary: bin["server"], Args: append([]string{"-await", "client=" + strconv.Itoa(program.Clients)}, args...)}}
	for rank := range program.Clients {
		peers = append(peers, launch.Peer{Class: "client", Rank: rank, Binary: bin["client"], Args: args})
	}
	fleet, err := launch.Start(launch.Options{Dir: dir, Peers: peers, State: true, Seed: 1, Log: io.Discard})
	if err != nil {
		return err
	}
	defer fleet.Stop()
	s := &story{w: w, fleet: fleet, rounds: rounds, calm: calm, seen: map[uint64]bool{}}
	return s.tell()
}

// story follows the rounds and triggers the events.
type story struct {
	w      io.Writer
	fleet  *launch.Fleet
	rounds int // after which it ends
	calm   bool
	began  time.Time
	seen   map[uint64]bool // rounds, by the numbers of their executions
	result
}

// patience is the longest time without an event.
const patience = 2 * time.Minute

func (s *story) tell() error {
	for s.Rounds < s.rounds {
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
	return json.NewEncoder(s.w).Encode(s.result)
}

// line handles a line written by a peer.
func (s *story) line(l peer.Line) error {
	switch {
	case l.Kind == "ended" && l.Error != "":
		return fmt.Errorf("%s: %s", l.Peer, l.Error)
	case l.Kind == "emitted" && l.Name == "server.model":
		s.Model = l.Hash
	case l.Kind == "emitted" && l.Name == "server.accuracy":
		return s.round(l)
	}
	return nil
}

// round handles the evaluation of a model by the server.
func (s *story) round(l peer.Line) error {
	if s.Rounds == 0 {
		s.began = time.Now()
	}
	if s.seen[l.Round] { // a server that continues from its snapshot reports it again
		return nil
	}
	s.seen[l.Round] = true
	values, _ := l.Value.([]any)
	if len(values) == 1 {
		s.Accuracy, _ = values[0].(float64)
	}
	s.Rounds++
	fmt.Fprintf(s.w, "round %2d: %.1f %% of the digits read right\n", s.Rounds, 100*s.Accuracy)
	if s.calm {
		return nil
	}
	switch s.Rounds {
	case killClient:
		s.Killed++
		fmt.Fprintln(s.w, "          client 3 is killed")
		return s.fleet.Kill(victim)
	case restartClient:
		fmt.Fprintln(s.w, "          client 3 is back")
		return s.fleet.Restart(victim)
	case restartServer:
		s.Restarted++
		fmt.Fprintln(s.w, "          the server is killed, and started again")
		return errors.Join(s.fleet.Kill(0), s.fleet.Restart(0))
	}
	return nil
}

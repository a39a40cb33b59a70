// Package workers runs the peers of an example with one class, worker, as processes with rendered digits.
package workers

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// The numbers of digits for training and for evaluation.
const learned, judged = 8000, 1000

// Start starts n workers of an example. Each begins when it is connected to all others. Their files are in
// dir.
func Start(dir, example string, n int) (*launch.Fleet, error) {
	data := filepath.Join(dir, "digits")
	if err := os.Mkdir(data, 0o777); err != nil {
		return nil, err
	}
	if err := drawn.Write(data, learned, judged); err != nil {
		return nil, err
	}
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/examples/"+example+"/peer", "worker")
	if err != nil {
		return nil, err
	}
	o := launch.Options{Dir: dir, Log: io.Discard, Seed: 1}
	for rank := range n {
		o.Peers = append(o.Peers, launch.Peer{
			Class: "worker", Rank: rank, Binary: bin["worker"],
			Args: []string{"-host", "tcp", "-data", data, "-await", fmt.Sprintf("worker=%d", n-1)},
		})
	}
	return launch.Start(o)
}

// Name returns the name of the peer with the given rank.
func Name(rank int) string { return fmt.Sprintf("worker-%d", rank) }

// patience is the longest time without an event.
const patience = 2 * time.Minute

// Next returns the next event of a peer. The end or failure of a peer is an error, except for the killed one.
func Next(f *launch.Fleet, killed string) (peer.Line, error) {
	select {
	case l := <-f.Lines():
		if bad := l.Kind == "exited" || l.Kind == "failed"; bad && l.Peer != killed {
			return l, fmt.Errorf("%s: %s %s: %s", l.Peer, l.Kind, l.Name, l.Error)
		}
		return l, nil
	case <-time.After(patience):
		return peer.Line{}, errors.New("nothing has happened for two minutes")
	}
}

// Number returns the number in a line, or 0.
func Number(l peer.Line) float64 {
	values, _ := l.Value.([]any)
	if len(values) != 1 {
		return 0
	}
	v, _ := values[0].(float64)
	return v
}

// Package dataparallel is the command line of a trainer that shares each batch with
// others: every one of them is a process, computes the gradients of its part, and makes
// the same step with the mean of all. It joins the loop of package train and the peer that
// sums, whose program is in internal/dataparallel.
package dataparallel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/exchange"
	"github.com/bbgen/bbgen/runtime/host/dataparallel/trainer/partition"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Class is what the peers are called.
const Class = "trainer"

// Main trains a program as one of several, and exits. The command line is the peer's,
// then --, then that of the training.
func Main(p runtime.TrainProgram) { os.Exit(Do(p, os.Args[1:], os.Stdout, os.Stderr)) }

// Do is [Main] without the process: it returns the exit code.
func Do(p runtime.TrainProgram, args []string, stdout, stderr io.Writer) int {
	i := slices.Index(args, "--")
	if i < 0 {
		return alone(p, args, stdout, stderr)
	}
	g := &group{Exchange: exchange.New(), met: make(chan struct{}), over: make(chan struct{})}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan int, 1)
	go func() {
		code := peer.Do(ctx, g.program(), args[:i], stdout, stderr)
		g.End(errEnded)
		ended <- code
	}()
	select {
	case <-g.met:
	case code := <-ended:
		return code
	}
	code := train.DoIn(g, p, args[i+1:], says(args[:i], stdout, g), stderr)
	if code != 0 {
		return code // the others go on without this one
	}
	g.End(nil)
	select {
	case <-g.over:
		stop()
	case <-ended:
		return 0
	}
	select {
	case <-ended:
	case <-time.After(farewell):
	}
	return 0
}

// farewell is how long a peer waits for others to have heard its last words. All have
// ended their training then, so that nothing is lost without.
const farewell = time.Second

// alone is for a command line without a training in it: a command of the peer's, or
// somebody who wants to know what there is.
func alone(p runtime.TrainProgram, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] != "-h" && args[0] != "-help" && args[0] != "--help" {
		return peer.Do(context.Background(), new(group).program(), args, stdout, stderr)
	}
	fmt.Fprintf(stdout, "Trains the model %q with others: each has a part of every batch.\n\n"+
		"usage: the flags of the peer -- the flags of the training\n\n", p.Name)
	peer.Do(context.Background(), new(group).program(), []string{"-h"}, stdout, stderr)
	fmt.Fprintln(stdout)
	return train.Do(p, []string{"-h"}, stdout, stderr)
}

var errEnded = errors.New("this peer has ended: too few are left, or it has said why")

// group is the peers, as the training has them.
type group struct {
	exchange.Exchange
	rank, size int
	met        chan struct{} // closed when these are known
	over       chan struct{} // closed when all know that all have ended, or nobody can any more
	once       sync.Once     // for that
}

// Rank is which of the peers this is.
func (g *group) Rank() int { return g.rank }

// Size is how many there are.
func (g *group) Size() int { return g.size }

// program is the peer that sums for the training.
func (g *group) program() peer.Program {
	return peer.Program{
		Name: "dataparallel", Class: Class, Classes: []string{Class}, Fingerprint: []byte(partition.Fingerprint),
		Partition: func(env runtime.Env) (*runtime.Partition, error) {
			return partition.Partition(env, partition.Config{Exchange: g.Exchange})
		},
		Start:     g.meet,
		Tell:      g.hear,
		Transport: tcp.New,
	}
}

// meet learns who there is.
func (g *group) meet(n *runtime.Node) error {
	peers := n.Peers([]wire.PeerID{}, Class)
	g.rank, g.size = slices.Index(peers, n.Self()), len(peers)
	close(g.met)
	return nil
}

// hear ends the training when a sum has failed, and takes note when the last one is done.
func (g *group) hear(e runtime.Event) {
	failed := e.Kind == runtime.Failed
	if failed {
		g.End(e.Err)
	}
	if failed || e.Kind == runtime.Published {
		g.once.Do(func() { close(g.over) })
	}
}

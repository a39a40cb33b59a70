// Package dataparallel is the command line of a trainer that shares each batch with others: each is a process
// that computes the gradients of its part, and all make the same step with the mean. It connects the loop of
// package train with a peer that sums the host's values.
package dataparallel

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/host/train/web"
	"github.com/bbgen/bbgen/runtime/model"
)

// Class is the class of the peers.
const Class = "trainer"

// Main trains a program as one of several peers, and exits. The command line has the peer's flags, then --,
// then the training's.
func Main(p model.TrainProgram) { os.Exit(Do(p, os.Args[1:], os.Stdout, os.Stderr)) }

// Do is [Main] without exiting: it returns the exit code.
func Do(p model.TrainProgram, args []string, stdout, stderr io.Writer) int {
	i := slices.Index(args, "--")
	if i < 0 {
		return help(p, args, stdout, stderr)
	}
	if err := train.Check(p, 1, args[i+1:], &web.Page{}); errors.Is(err, flag.ErrHelp) {
		return help(p, nil, stdout, stderr)
	} else if err != nil { // before it waits for others
		return train.Refuse(p, err, stderr)
	}
	source := cmp.Or(p.Source, p.Name)
	alone := time.Duration(0)
	if noteOf(args[:i]).exists() && !goesOn(p, args[i+1:]) {
		alone = aloneFor
	}
	g, err := join(args[:i], alone, func() {
		if !writesEvents(args[:i]) { // who started the peers knows
			fmt.Fprintf(stderr, "%s: waits for other peers: training begins when all are connected\n", source)
		}
	})
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", source, err)
		return 1
	}
	code := train.DoIn(g, p, args[i+1:], says(args[:i], stdout, g), stderr, &web.Page{})
	if train.HasEnded(code) { // otherwise the others continue without this one
		g.note.remove()
		g.leave()
	}
	return code
}

// help handles a command line without a training: a command of the peer, or a request for help.
func help(p model.TrainProgram, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] != "-h" && args[0] != "-help" && args[0] != "--help" {
		return peer.Do(context.Background(), new(group).program(), args, stdout, stderr)
	}
	fmt.Fprintf(stdout, "Trains the model %q with others: each has a part of every batch.\n\n"+
		"usage: the flags of the peer -- the flags of the training\n\n", p.Name)
	peer.Do(context.Background(), new(group).program(), []string{"-h"}, stdout, stderr)
	fmt.Fprintln(stdout)
	return train.Do(p, []string{"-h"}, stdout, stderr, &web.Page{})
}

// program returns the peer that sums for the training.
func (g *group) program() peer.Program {
	return peer.Program{
		Name: "dataparallel", Class: Class, Classes: []string{Class}, Fingerprint: []byte(fingerprint),
		Partition: g.newPartition, Start: g.meet, Tell: g.hear, Private: true, Transport: tcp.New,
	}
}

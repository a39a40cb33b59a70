package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// processes sends batches through three processes that communicate over libp2p: the first reads files, the
// last writes files.
func processes(batches []*tensor.Tensor) (out []*tensor.Tensor, inFlight int, err error) {
	dir, err := os.MkdirTemp("", "pipeline")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	args, err := writeBatches(dir, batches)
	if err != nil {
		return nil, 0, err
	}
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/examples/pipeline/peer", "stage0", "stage1", "stage2")
	if err != nil {
		return nil, 0, err
	}
	results := filepath.Join(dir, "results")
	fleet, err := launch.Start(launch.Options{Dir: dir, Peers: []launch.Peer{
		{Class: "stage0", Binary: bin["stage0"], Args: args},
		{Class: "stage1", Binary: bin["stage1"]},
		{Class: "stage2", Binary: bin["stage2"], Args: []string{"-out", results}},
	}})
	if err != nil {
		return nil, 0, err
	}
	defer fleet.Stop()
	if inFlight, err = watch(fleet.Lines(), len(batches)); err != nil {
		return nil, 0, err
	}
	for i := range batches {
		b, err := os.ReadFile(filepath.Join(results, fmt.Sprintf("logits-stage0-0-%d.npy", i+1)))
		if err != nil {
			return nil, 0, err
		}
		t, err := tensorio.DecodeNPY(b)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, t)
	}
	return out, inFlight, nil
}

// writeBatches writes each batch to a file, and returns the flags with which a peer reads them.
func writeBatches(dir string, batches []*tensor.Tensor) (args []string, err error) {
	for i, t := range batches {
		b, err := tensorio.AppendNPY(nil, t)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, fmt.Sprintf("batch%d.npy", i))
		if err := os.WriteFile(file, b, 0o666); err != nil {
			return nil, err
		}
		args = append(args, "-in", "text="+file)
	}
	return args, nil
}

// watch waits until the last stage has finished all batches. It returns the largest number of batches between
// the first and the last stage.
func watch(lines <-chan peer.Line, batches int) (inFlight int, err error) {
	var sent, done []time.Time
	late := time.After(time.Minute)
	for len(done) < batches {
		select {
		case l := <-lines:
			switch {
			case l.Kind == "failed", l.Kind == "exited" && l.Error != "":
				return 0, fmt.Errorf("%s: %s", l.Peer, l.Error)
			case l.Kind == "finished" && l.Peer == "stage0-0":
				sent = append(sent, l.Time)
			case l.Kind == "emitted":
				done = append(done, l.Time)
			}
		case <-late:
			return 0, fmt.Errorf("%d of %d batches came out within a minute", len(done), batches)
		}
	}
	for i, t := range sent {
		n, _ := slices.BinarySearchFunc(done, t, func(a, b time.Time) int { return cmp.Compare(a.UnixNano(), b.UnixNano()) })
		inFlight = max(inFlight, i+1-n)
	}
	return inFlight, nil
}

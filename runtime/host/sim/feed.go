package sim

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/feed"
)

// checkInputs requires that there are peers for each file of -in.
func (o *options) checkInputs() error {
	for _, in := range o.in {
		input, _, ok := strings.Cut(in, "=")
		class, _, dot := strings.Cut(input, ".")
		i := slices.Index(o.classes, class)
		if !ok || !dot || i < 0 {
			return fmt.Errorf("-in %s: want CLASS.NAME=FILE, with one of the classes %s", in, strings.Join(slices.Sorted(slices.Values(o.classes)), ", "))
		}
		if len(o.ranks[i]) == 0 {
			return fmt.Errorf("-in %s: there is no peer of class %s", in, class)
		}
	}
	return nil
}

// inputsOf returns the files for peer k of a class: those of one input are distributed to the peers in turn.
func (o *options) inputsOf(class string, k, peers int) (list []string) {
	turn := map[string]int{}
	for _, in := range o.in {
		rest, ok := strings.CutPrefix(in, class+".")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, "=")
		if turn[name]%peers == k {
			list = append(list, rest)
		}
		turn[name]++
	}
	return list
}

// open makes the folder of -out, and begins the executions of -in.
func (r *run) open() error {
	r.net.Started, r.net.Booting = r.feed, r.boot
	if r.options.out == "" {
		return nil
	}
	return os.MkdirAll(r.options.out, 0o777)
}

// feed begins all executions of a peer's files.
func (r *run) feed(i int, n *runtime.Node) {
	for began := true; began; {
		var err error
		if began, err = r.peers[i].feed.Begin(n, n.Now(), math.MaxInt); err != nil && r.err == nil {
			r.err = err
		}
	}
}

// boot invokes the bootstrap modules of a peer with their files.
func (r *run) boot(i int, n *runtime.Node) {
	p := &r.peers[i]
	_, err := p.feed.Boot(n, n.Now())
	if left := n.NotBooted(); err == nil && len(left) > 0 {
		n.Waits(func(w *runtime.Wait) bool {
			err = fmt.Errorf("the bootstrap of %s waits for an input: give --in %s.%s=FILE", p.name(), p.class, w.Cut)
			return false
		})
	}
	if r.err == nil {
		r.err = err
	}
}

// fed reports whether there are files for the peers, and all of their executions have begun, or cannot begin.
func (r *run) fed() bool {
	any := false
	for i := range r.peers {
		if !r.peers[i].feed.Over() {
			return r.err != nil
		}
		any = any || r.peers[i].feed.Any()
	}
	return any
}

// keep writes an output into the peer's folder in that of -out.
func (r *run) keep(i int, e runtime.Event) {
	if r.options.out == "" {
		return
	}
	of := r.names[e.Exec.Origin]
	if of == r.peers[i].name() {
		of = ""
	}
	dir := filepath.Join(r.options.out, r.peers[i].name())
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = feed.Write(disk.OS, dir, e, of)
	}
	if r.err == nil {
		r.err = err
	}
}

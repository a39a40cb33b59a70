package dataparallel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// joinAll connects the groups of two processes over TCP.
func joinAll(t *testing.T) []*group {
	t.Helper()
	return joinWith(t, func(int) {}, func() {}, func(*group) {})
}

// joinWith calls begin with each rank before it joins, then when it has joined, and waits when one says that it waits for
// others.
func joinWith(t *testing.T, begin func(rank int), waits func(), then func(g *group)) (groups []*group) {
	t.Helper()
	flags := flagsOf(t)
	groups = make([]*group, len(flags))
	both(func(rank int) {
		begin(rank)
		var err error
		if groups[rank], err = join(flags[rank], 0, waits); err != nil {
			t.Error(err)
			return
		}
		then(groups[rank])
	})
	if t.Failed() {
		t.FailNow()
	}
	return groups
}

// flagsOf returns the flags of two peers.
func flagsOf(t *testing.T) (flags [][]string) {
	t.Helper()
	dir, ip := t.TempDir(), launch.Loopback()
	var members []peer.Member
	for rank := range 2 {
		key, err := peer.NewKey(filepath.Join(dir, fmt.Sprint(rank)))
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", ip+":0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		at := wire.Address(fmt.Sprintf("/ip4/%s/tcp/%d", ip, l.Addr().(*net.TCPAddr).Port))
		members = append(members, peer.Member{ID: peer.IDOf(key), Class: Class, Rank: rank, Addresses: []wire.Address{at}})
		l.Close()
	}
	b, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "peers.json")
	if err := os.WriteFile(list, b, 0o666); err != nil {
		t.Fatal(err)
	}
	for rank, m := range members {
		flags = append(flags, []string{"-key", filepath.Join(dir, fmt.Sprint(rank)), "-peers", list, "-listen", string(m.Addresses[0]),
			"-rank", fmt.Sprint(rank), "-await", Class + "=1", "-log", "none"})
	}
	return flags
}

// both calls f for both ranks at once.
func both(f func(rank int)) {
	var all sync.WaitGroup
	for rank := range 2 {
		all.Go(func() { f(rank) })
	}
	all.Wait()
}

// TestProcesses: over a real network, groups have ranks and sizes, sum and gather, begin steps together, and leave when
// both are done.
func TestProcesses(t *testing.T) {
	groups := joinAll(t)
	both(func(rank int) {
		g := groups[rank]
		if g.Rank() != rank || g.Size() != 2 {
			t.Errorf("rank %d of %d, want %d of 2", g.Rank(), g.Size(), rank)
		}
		x := []float32{float32(rank), 1}
		if err := errors.Join(g.Sum(x), g.SumAs(collective.Codecs()[0], 1, train.InPlace(x))); err != nil || !slices.Equal(x, []float32{2, 4}) {
			t.Errorf("rank %d: the sum of sums is %v, %v", rank, x, err)
		}
		all, err := g.Gather([]float32{float32(rank)})
		if err != nil || !slices.Equal(all, []float32{0, 1}) {
			t.Errorf("rank %d: got %v, %v of both", rank, all, err)
		}
		if joined, err := g.Enter(&shared{"weights"}); joined || err != nil {
			t.Errorf("rank %d begins a step: it has joined: %v, %v", rank, joined, err)
		}
		g.leave()
	})
}

// TestWaits: a peer that is alone for long says so, and goes on when the other one has come.
func TestWaits(t *testing.T) {
	said := make(chan struct{})
	groups := joinWith(t, func(rank int) {
		if rank == 1 {
			<-said
		}
	}, sync.OnceFunc(func() { close(said) }), func(g *group) {
		if _, err := g.Enter(&shared{"weights"}); err != nil {
			t.Error(err)
		}
	})
	both(func(rank int) { groups[rank].leave() })
}

// TestStartRefuses: what is wrong with the flags of a peer is an error of the trainer, with the file of its model.
func TestStartRefuses(t *testing.T) {
	var out, errs bytes.Buffer
	code := Do(model.TrainProgram{Name: "lenet", Source: "lenet.onnx"}, []string{"-key", filepath.Join(t.TempDir(), "none.pem"), "--", "-data", "d"}, &out, &errs)
	if code != 1 || !strings.HasPrefix(errs.String(), "lenet.onnx: ") {
		t.Errorf("exit code %d, %q", code, &errs)
	}
}

// TestChecksFirst: wrong flags of the training are refused before a peer waits for others, and help waits for nobody.
func TestChecksFirst(t *testing.T) {
	p, none := model.TrainProgram{Name: "lenet", Source: "lenet.onnx", Rate: 1}, filepath.Join(t.TempDir(), "none.pem")
	for _, c := range []struct {
		args, out, errs string
		code            int
	}{
		{"-data d -epochs 0", "", "lenet.onnx: --epochs is 0, want at least 1\n-h lists all flags.\n", 2},
		{"-data d -find-lr", "", "lenet.onnx: --find-lr and --folds are for one process alone\n", 2},
		{"-h", "Trains the model \"lenet\" with others: each has a part of every batch.\n", "", 0},
	} {
		var out, errs bytes.Buffer
		code := Do(p, append([]string{"-key", none, "--"}, strings.Fields(c.args)...), &out, &errs)
		if code != c.code || !strings.HasPrefix(out.String(), c.out) || !strings.HasPrefix(errs.String(), c.errs) || (c.errs == "") != (errs.Len() == 0) {
			t.Errorf("%s: exit code %d, %q and %q, want %d, %q and %q", c.args, code, &out, &errs, c.code, c.out, c.errs)
		}
	}
}

// TestSumsInTurn: large sums, whose memory is used again, do not change earlier ones or values of the caller.
func TestSumsInTurn(t *testing.T) {
	groups := joinAll(t)
	both(func(rank int) {
		g := groups[rank]
		var all [4][]float32
		for i := range all {
			all[i] = make([]float32, 3*tensor.Large/4)
			for k := range all[i] {
				all[i][k] = float32(i + k%7)
			}
			if err := g.SumAs(collective.Exact, i%2, train.InPlace(all[i])); err != nil {
				t.Error(err)
			}
		}
		for i, x := range all {
			if at := slices.IndexFunc(x, func(v float32) bool { return v < 2*float32(i) }); at >= 0 || x[6] != 2*float32(i+6) {
				t.Errorf("rank %d: sum %d is %v at %d, and %v at 6", rank, i, x[max(at, 0)], at, x[6])
			}
		}
		g.leave()
	})
}

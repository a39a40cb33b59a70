package kademlia

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func peer(i int) wire.PeerID {
	p, err := wire.PeerIDOf(bytes.Repeat([]byte{byte(17*i + 1)}, 32))
	if err != nil {
		panic(err)
	}
	return p
}

// nodes are peers of a class that know each other, with their tables.
func nodes(t *testing.T, n int) (list []*runtime.Node, tables []*Table) {
	t.Helper()
	for i := range n {
		c := runtime.Config{Self: peer(i), Incarnation: 1, Rank: i, Seed: uint64(i)}
		for k := range n {
			if k != i {
				c.Peers = append(c.Peers, runtime.PeerConfig{ID: peer(k), Class: "a", Rank: k})
			}
		}
		node, err := runtime.New(c, &runtime.Partition{Class: "a"})
		if err != nil {
			t.Fatal(err)
		}
		list, tables = append(list, node), append(tables, &Table{Class: "a", K: 3})
	}
	return list, tables
}

// A value that one peer puts is found by another, with the messages of a program between their nodes.
func TestNodes(t *testing.T) {
	list, tables := nodes(t, 6)
	periods := func(n int) {
		t.Helper()
		for range n {
			for i, table := range tables {
				to, m, err := table.Tick(list[i])
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range to {
					k := 0
					for list[k].Self() != p {
						k++
					}
					back, a, err := tables[k].Receive(list[k], peer(i), m)
					if err != nil || len(back) != 1 || back[0] != peer(i) {
						t.Fatalf("peer %d answers %v, %v", k, back, err)
					}
					if err := table.Answered(list[i], p, a); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if err := tables[1].Put(word("k"), word("v")); err != nil {
		t.Fatal(err)
	}
	periods(30)
	if err := tables[4].Get(word("k")); err != nil {
		t.Fatal(err)
	}
	periods(25) // before the table is refreshed, by a lookup
	if got, err := tables[4].Value(word("k")); err != nil || string(got.Data) != "v" {
		t.Errorf("peer 4 finds %q (%v), want v", got.Data, err)
	}
	stored := int64(0)
	for _, table := range tables {
		state, err := table.State()
		if err != nil || state.Data[0] == 0 || state.Data[1] != 0 {
			t.Errorf("the numbers of peers, lookups and values are %v (%v), want some peers and no lookup", state.Data, err)
		}
		stored += state.Data[2]
	}
	if stored != 3 {
		t.Errorf("%d peers have the value, want K, 3", stored)
	}
}

// Messages that no peer sends are refused, and the sender does not come into the table.
func TestHostileMessages(t *testing.T) {
	list, tables := nodes(t, 2)
	n, table := list[0], tables[0]
	before, err := table.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := (&request{number: 3, op: opFindPeers}).message().Data
	large := (&request{number: 3, op: opStore, value: make([]byte, MaxValue+1)}).message().Data
	for name, b := range map[string][]byte{
		"nothing":              nil,
		"a part":               good[:len(good)-1],
		"a byte too many":      append(bytes.Clone(good), 0),
		"a kind nobody knows":  (&request{number: 3, op: ops}).message().Data,
		"a value too large":    large,
		"a value that is huge": append(append(binary.AppendUvarint(nil, 3), make([]byte, 33)...), 2, 0xff, 0xff, 0xff, 0xff, 0x7f),
	} {
		if _, _, err := table.Receive(n, peer(1), tensor.DenseOf(b, len(b))); err == nil {
			t.Errorf("the request of %s is answered", name)
		}
	}
	many := reply{number: 3, peers: make([]wire.PeerID, maxK+1)}
	for want, b := range map[string][]byte{
		"the state ends early": nil,
		"a value of ":          (&reply{number: 3, value: make([]byte, MaxValue+1)}).message().Data,
		"an answer with ":      many.message().Data,
	} {
		if err := table.Answered(n, peer(1), tensor.DenseOf(b, len(b))); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if after, _ := table.AppendBinary(nil); !bytes.Equal(before, after) {
		t.Error("refused messages change the table")
	}
}

// Values that no table takes are refused where they are put.
func TestPutRefuses(t *testing.T) {
	_, tables := nodes(t, 1)
	for n, want := range map[int]string{0: "a value of 0 bytes, want 1 to ", MaxValue + 1: "a value of "} {
		if err := tables[0].Put(word("k"), tensor.NewDense[uint8](n)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %s", n, err, want)
		}
	}
}

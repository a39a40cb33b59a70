package otlp

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// testPeer returns the id of peer i, which has the name peer-i.
func testPeer(i byte) wire.PeerID {
	id, _ := wire.PeerIDOf(append(make([]byte, 31), i))
	return id
}

// testProcess is peer i.
func testProcess(i byte) Process {
	name := func(id wire.PeerID) string {
		key := id.Key()
		return fmt.Sprintf("peer-%d", key[31])
	}
	return Process{Self: testPeer(i), Began: time.Unix(1700000000, 0), Name: name, Resource: []Attribute{{"service.name", "weather"}, {"bbgen.peer", name(testPeer(i))}}}
}

// exec is an execution that peer 1 begins.
var exec = wire.ExecID{Origin: testPeer(1), Incarnation: 5, Number: 7}

// round are the spans of a round of the server, peer 1, by peer: peer 2 contributes, and peer 3 fails to.
var round = map[byte][]runtime.Span{
	1: {
		{Exec: exec, Start: 3e9, End: 3e9, Module: "update", Parent: "server", Root: true, From: testPeer(2), Received: 16},
		{Exec: exec, Start: 1e9, End: 4e9, Module: "server", Root: true, Cut: "updates", Kind: runtime.GatherCut, Received: 16, Asked: 2, Came: 1},
		{Exec: exec, Start: 1e9, End: 5e9, Module: "server", Root: true, Sent: 32},
	},
	2: {
		{Exec: exec, Start: 0, End: 1e9, Module: "client", From: testPeer(1), Cut: "trained", Kind: runtime.CommandCut},
		{Exec: exec, Start: 0, End: 1e9, Module: "client", From: testPeer(1), Received: 16, Sent: 16},
	},
	3: {
		{Exec: exec, Start: -1e9, End: 1e9, Module: "client", From: testPeer(1), Cut: "more", Kind: runtime.FillCut, Sender: testPeer(1), Received: 8},
		{Exec: exec, Start: -1e9, End: 1e9, Module: "client", From: testPeer(1), Err: errors.New("no \xff data")},
	},
}

// requestOf returns the request with the spans of a peer.
func requestOf(peer byte) []byte {
	p := testProcess(peer)
	var spans [][]byte
	for i := range round[peer] {
		at := placeOf(p.Self, &round[peer][i])
		spans = append(spans, p.appendSpan(nil, &at, &round[peer][i]))
	}
	return appendRequest(nil, appendResource(nil, p.Resource), spans)
}

// ids are the fields of a request that are ids: those of Span.
var ids = []string{".1.2.2.1", ".1.2.2.2", ".1.2.2.4"}

// fieldsText describes a message at a path of fields: a line for each field with its number and value, indented.
func fieldsText(b []byte, path string) string {
	var text strings.Builder
	for len(b) > 0 {
		number, kind, tag := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(number, kind, b[max(tag, 0):])
		if tag < 0 || size < 0 {
			return ""
		}
		value := b[tag:][:size]
		b = b[tag+size:]
		fmt.Fprintf(&text, "%s%d:", strings.Repeat(" ", strings.Count(path, ".")), number)
		switch kind {
		case protowire.VarintType:
			n, _ := protowire.ConsumeVarint(value)
			fmt.Fprintf(&text, " %d\n", n)
		case protowire.Fixed64Type:
			fmt.Fprintf(&text, " %d\n", binary.LittleEndian.Uint64(value))
		case protowire.Fixed32Type:
			fmt.Fprintf(&text, " %#x\n", binary.LittleEndian.Uint32(value))
		default:
			v, _ := protowire.ConsumeBytes(value)
			text.WriteString(bytesText(v, fmt.Sprintf("%s.%d", path, number)))
		}
	}
	return text.String()
}

// bytesText describes a field of bytes: an id, a message or a text.
func bytesText(v []byte, path string) string {
	if slices.Contains(ids, path) {
		return " " + hex.EncodeToString(v) + "\n"
	}
	if inner := fieldsText(v, path); inner != "" {
		return "\n" + inner
	}
	return fmt.Sprintf(" %q\n", v)
}

// TestRequest shows the requests of three peers, which are one trace.
func TestRequest(t *testing.T) {
	golden.Run(t, "testdata/request.txtar", func(t *testing.T, a *golden.Archive) {
		for peer := range byte(len(round)) {
			a.Check(fmt.Sprintf("peer-%d", peer+1), fieldsText(requestOf(peer+1), ""))
		}
	})
}

// TestTrace checks that the spans of all peers are one tree.
func TestTrace(t *testing.T) {
	parents, roots := map[spanID]spanID{}, 0
	var trace traceID
	for peer, list := range round {
		for i := range list {
			at := placeOf(testPeer(peer), &list[i])
			if trace == (traceID{}) {
				trace = at.trace
			}
			if _, twice := parents[at.id]; twice || at.trace != trace {
				t.Errorf("peer %d, span %d: it has the id of another one, or is of another trace", peer, i)
			}
			if parents[at.id] = at.parent; at.parent == (spanID{}) {
				roots++
			}
		}
	}
	for id, parent := range parents {
		if _, ok := parents[parent]; !ok && parent != (spanID{}) {
			t.Errorf("span %x has the parent %x, which does not exist", id, parent)
		}
	}
	if roots != 1 {
		t.Errorf("%d roots, want 1", roots)
	}
	next := exec
	next.Number++
	if traceOf(&next) == trace {
		t.Error("two executions are one trace")
	}
}

// TestSampled checks that a ratio selects that part of all traces, and a greater one these as well.
func TestSampled(t *testing.T) {
	const n = 10000
	x, quarter := exec, 0
	for range n {
		x.Number++
		id := traceOf(&x)
		if id.isSampled(0) || !id.isSampled(1) {
			t.Fatal("all of them, or none, is something else")
		}
		if id.isSampled(0.25) {
			quarter++
			if !id.isSampled(0.5) {
				t.Fatal("a trace is in a quarter and not in a half of all")
			}
		}
	}
	if quarter < n/4-300 || quarter > n/4+300 {
		t.Errorf("%d of %d traces are a quarter", quarter, n)
	}
}

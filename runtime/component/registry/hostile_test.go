package registry

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

func bytesOf(b []byte) tensor.Dense[uint8] { return tensor.DenseOf(b, len(b)) }

// TestMutatedMessages: any change of the bytes of an announcement or an answer leads to an error or a table within its limits, never to a
// panic, and what a table holds can be stored and read.
func TestMutatedMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	at, n := node(t, "r", 0, everybody), node(t, "w", 1, "r")
	s, c := &Server{Most: 3}, &Client{Registry: "r", Wants: []string{"w", "b"}, TTL: 60, Admits: true, Most: 3}
	good := hello{ttl: 60, wants: []string{"w", "b"}, addresses: []wire.Address{"/ip4/127.0.0.1/tcp/1"}}
	announced := good.append(nil)
	answer := binary.AppendUvarint(nil, 3)
	for i := range byte(3) {
		f := found{id(2 + i), string(everybody[2+i]), int(i), 1e9, good.addresses}
		answer = f.append(answer)
	}
	mutated := func(b []byte) []byte {
		b = bytes.Clone(b)
		for range r.IntN(4) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		return b[:len(b)-r.IntN(2)*r.IntN(len(b))]
	}
	for range 5000 {
		from := id(byte(1 + r.IntN(4)))
		if _, reply, err := s.Receive(at, from, bytesOf(mutated(announced))); err == nil {
			if _, err := parseAnswer(reply.Data); err != nil {
				t.Fatalf("its own answer cannot be read: %v", err)
			}
		}
		_ = c.Answered(n, at.Self(), bytesOf(mutated(answer)))
		if len(s.list) > 3 || len(c.list) > 3 {
			t.Fatalf("%d and %d peers, want 3 at most", len(s.list), len(c.list))
		}
	}
	statetest.Restart(t, s, &Server{})
	statetest.Restart(t, c, &Client{})
}

// TestTableIsAMap: a table is a map from peers to the end of their validity, of limited size, over restarts, after which time begins anew.
func TestTableIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		const most = 12
		x, want, now := &table{}, map[wire.PeerID]int64{}, int64(0)
		for range 300 {
			switch p, until := id(byte(r.IntN(30))), now+1+r.Int64N(100); {
			case r.IntN(3) == 0:
				now += r.Int64N(40)
				x.expire(now)
				for p, end := range want {
					if end <= now {
						delete(want, p)
					}
				}
			case r.IntN(20) == 0:
				x.expire(now)
				for p, end := range want {
					if want[p] = end - now; end <= now {
						delete(want, p)
					}
				}
				x, now = statetest.Restart(t, x, &table{}), 0
			default:
				_, there := want[p]
				if room := there || len(want) < most; x.note(p, until, most) != room {
					t.Fatalf("there is room: %v, with %d peers", room, len(want))
				} else if room {
					want[p] = until
				}
			}
			if len(x.list) != len(want) {
				t.Fatalf("%d peers, want %d", len(x.list), len(want))
			}
			for p, until := range want {
				if i, ok := x.find(p); !ok || x.list[i].until != until || !x.has(p) {
					t.Fatalf("peer %v until %v, want %d", p, x.list, until)
				}
			}
		}
	}
}

// TestHostileStates: states that claim more peers than they have bytes for, or a validity without end, are refused or limited.
func TestHostileStates(t *testing.T) {
	for _, n := range []uint64{1, 1 << 20, math.MaxInt64, math.MaxUint64} {
		if err := new(table).UnmarshalBinary(binary.AppendUvarint(nil, n)); err == nil {
			t.Errorf("%d peers in no bytes", n)
		}
	}
	b := binary.AppendUvarint(values.AppendPeer(binary.AppendUvarint(nil, 1), id(1)), math.MaxUint64)
	var x table
	if err := x.UnmarshalBinary(b); err != nil || x.list[0].until != int64(maxTTL) {
		t.Errorf("%v, %v, want a validity of %v", x.list, err, maxTTL)
	}
}

// TestNoAnswers: a registry that is configured to name nobody names nobody.
func TestNoAnswers(t *testing.T) {
	at, s := node(t, "r", 0, everybody), &Server{Answer: -1}
	h := hello{ttl: 60, wants: []string{"w", "b"}}
	for i := byte(1); i <= 4; i++ {
		_, answer, err := s.Receive(at, id(i), bytesOf(h.append(nil)))
		if list, bad := parseAnswer(answer.Data); err != nil || bad != nil || len(list) > 0 {
			t.Errorf("%v (%v, %v), want no peers", list, err, bad)
		}
	}
}

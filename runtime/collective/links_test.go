package collective

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// drawnLinks returns any links, also such as no rank knows.
func drawnLinks(r *rand.Rand) Links {
	latency := []time.Duration{0, time.Microsecond, 50 * time.Microsecond, 100 * time.Millisecond}
	bandwidth := []int64{0, 1e3, 1e6, 1e9, 1e12}
	sharing := []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 16}
	return Links{latency[r.IntN(len(latency))], bandwidth[r.IntN(len(bandwidth))], sharing[r.IntN(len(sharing))]}
}

// TestLinks: whatever the ranks measure and when, all choose the same algorithm, and have the bits of the plain
// computation. All algorithms are chosen that may be.
func TestLinks(t *testing.T) {
	chosen := map[Kind]map[Algorithm]int{AllReduce: {}, Reduce: {}, Broadcast: {}}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 31))
		c := Config{Ranks: 2 + r.IntN(8), IfLost: IfLost(r.IntN(3)), Chunk: 512 + r.IntN(4096)}
		for _, kind := range []Kind{AllReduce, Reduce, Broadcast} {
			c.Streams = append(c.Streams, Spec{Kind: kind, Elem: tensor.Float32, Root: r.IntN(c.Ranks)})
		}
		n := newNetwork(t, seed, c)
		n.twice, n.restarts = 0.1, r.IntN(2)
		size := 1 + r.IntN(4000)
		var values [][]Value
		for call := range 6 {
			values = append(values, nil)
			for rank, g := range n.groups {
				v := drawn(r, tensor.Float32, 1, size)
				values[call] = append(values[call], v)
				for s := range c.Streams {
					if err := g.Begin(s, v); err != nil {
						t.Fatal(err)
					}
				}
				for range r.IntN(4 * (rank + 1)) {
					n.step()
				}
			}
		}
		for n.step() {
			for _, p := range n.flying {
				if p.Type == Data {
					chosen[c.Streams[p.Stream].Kind][p.Algorithm]++
				}
			}
		}
		n.check(values)
	}
	for kind, want := range map[Kind][]Algorithm{AllReduce: {Direct, Halving, Pairwise}, Reduce: {Direct, Tree}, Broadcast: {Direct, Tree}} {
		for _, a := range want {
			if chosen[kind][a] == 0 {
				t.Errorf("%v: %v is never chosen: %v", kind, a, chosen[kind])
			}
		}
	}
}

// check compares the results of all ranks with the plain computation. Values are by call and rank.
func (n *network) check(values [][]Value) {
	n.t.Helper()
	for call, v := range values {
		for i := range n.groups[0].streams {
			want := n.groups[0].streams[i].spec.Evaluate(v)
			for rank := range n.groups {
				at := slices.IndexFunc(n.results[rank], func(x Result) bool { return x.Stream == i && x.Call == uint64(call) })
				if at < 0 {
					n.t.Fatalf("stream %d: rank %d has no result of call %d", i, rank, call)
				}
				if got := n.results[rank][at]; got.Err != nil || !bytes.Equal(got.Data, want[rank]) {
					n.t.Fatalf("stream %d: rank %d: got %s", i, rank, text(got))
				}
			}
		}
	}
}

// TestLinksAround: on ranks that are no power of two, large values go around the ring, or pairwise on a link of long
// delay. The bits are the same.
func TestLinksAround(t *testing.T) {
	var results [][]Result
	for _, tt := range []struct {
		links Links
		want  Algorithm
	}{{Links{Latency: time.Microsecond, Bandwidth: 1e8}, Ring}, {Links{Latency: 100 * time.Millisecond, Bandwidth: 1e9}, Pairwise}} {
		n := newNetwork(t, 1, Config{Ranks: 3, Streams: []Spec{{Elem: tensor.Float32}}})
		r := rand.New(rand.NewPCG(1, 1))
		var seen []Algorithm
		for call := range 3 {
			for _, g := range n.groups {
				g.SetLinks(tt.links)
				if err := g.Begin(0, drawn(r, tensor.Float32, 1, 2*aroundLeast/4+5)); err != nil {
					t.Fatal(err)
				}
			}
			for n.pull() || n.deliver() {
				n.collect()
				if len(n.flying) > 0 && call == 2 {
					seen = append(seen, n.flying[0].Algorithm)
				}
			}
		}
		if seen = slices.Compact(seen); !slices.Equal(seen, []Algorithm{tt.want}) {
			t.Errorf("%v: got %v, want %v", tt.links, seen, tt.want)
		}
		results = append(results, n.results[0])
	}
	for i := range results[0] {
		if !bytes.Equal(results[0][i].Data, results[1][i].Data) {
			t.Errorf("call %d has other bits by another algorithm", i)
		}
	}
}

// TestAroundMany: eight ranks add large values around the ring, and have the bits of the plain computation.
func TestAroundMany(t *testing.T) {
	if testing.Short() {
		t.Skip("sums 64 MiB")
	}
	n := newNetwork(t, 1, Config{Ranks: aroundRanks, Streams: []Spec{{Elem: tensor.Float32}}})
	r := rand.New(rand.NewPCG(1, 1))
	values := make([]Value, aroundRanks)
	for rank, g := range n.groups {
		values[rank] = drawn(r, tensor.Float32, 1, aroundRanks*aroundSegment/4)
		if err := g.Begin(0, values[rank]); err != nil {
			t.Fatal(err)
		}
	}
	n.pull()
	if len(n.flying) == 0 || n.flying[0].Algorithm != Ring {
		t.Errorf("%d messages are sent, want some around the ring", len(n.flying))
	}
	for n.pull() || n.deliver() {
		n.collect()
	}
	n.check([][]Value{values})
}

// lie makes an insider tell each rank something else about its links.
func (n *network) lie(insider int) {
	for i := range n.flying {
		if p := &n.flying[i]; p.from == insider && p.Type == Data && p.Chunk == lastChunk {
			p.Data = Links{Latency: time.Duration(1 + 1e9*int64(p.to%2)), Bandwidth: []int64{1, 1e12}[p.to%2]}.append(nil)
		}
	}
}

// TestLinksLie: if a rank tells the others different things about its links, which makes them choose different
// algorithms, they repeat the call without links: all calls have the right bits, and no rank is left out, whatever the
// policy for lost ranks is. It happens once, however long the rank lies.
func TestLinksLie(t *testing.T) {
	repeated := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		c := Config{Ranks: 3 + r.IntN(6), IfLost: IfLost(seed % 3), Chunk: 512 + r.IntN(4096)}
		for kind := AllReduce; kind < Barrier; kind++ {
			c.Streams = append(c.Streams, Spec{Kind: kind, Elem: tensor.Float32, Root: r.IntN(c.Ranks)})
		}
		n := newNetwork(t, seed, c)
		n.twice, n.restarts = 0.1, int(seed%2)
		size, insider := 1+r.IntN(4000), r.IntN(c.Ranks)
		var values [][]Value
		for call := range 7 {
			values = append(values, nil)
			for _, g := range n.groups {
				v := drawn(r, tensor.Float32, 1, size)
				values[call] = append(values[call], v)
				for s := range c.Streams {
					if err := g.Begin(s, v); err != nil {
						t.Fatal(err)
					}
				}
			}
			for n.step() {
				n.lie(insider)
			}
		}
		n.check(values)
		for rank, g := range n.groups {
			if len(g.Members()) != c.Ranks || g.Epoch().Number > 2 {
				t.Errorf("seed %d: rank %d has the members %v, in epoch %d", seed, rank, g.Members(), g.Epoch().Number)
			}
		}
		if n.groups[0].Epoch().Number == 2 {
			repeated++
		}
	}
	if repeated < 20 {
		t.Errorf("a call is repeated with %d of 60 seeds, want most", repeated)
	}
}

// TestLinksLieTwice: when the ranks have stopped to trust links, one that sends by another algorithm, or doubts the links
// again, is named.
func TestLinksLieTwice(t *testing.T) {
	n := newNetwork(t, 1, Config{Ranks: 4, IfLost: Repeat, Streams: []Spec{{Elem: tensor.Float32}}})
	n.begin(4 << 10)
	for n.pull() || n.deliver() {
		n.collect()
	}
	for _, g := range n.groups {
		g.change(&report{doubts: true})
	}
	n.run()
	n.begin(4 << 10)
	g := n.groups[0]
	doubts := (&report{make([]bool, 4), make([]uint64, 4), true, 0, Links{}, make([]progress, 1), nil}).appendSigned(nil)
	for what, m := range map[string]*Message{
		"sends by another algorithm": {Type: Data, Call: 1, Epoch: g.Epoch(), Length: 4 << 10, Algorithm: Tree, Data: make([]byte, 16<<10)},
		"asks by another algorithm":  {Type: Ask, Call: 1, Epoch: g.Epoch(), Algorithm: Tree},
		"doubts the links":           {Type: Lost, Epoch: g.Epoch(), Data: doubts},
	} {
		if _, known := errors.AsType[*RankError](g.Receive(3, m)); !known || g.Receive(3, m).(*RankError).Rank != 3 {
			t.Errorf("a rank that %s: got %v, want an error that names it", what, g.Receive(3, m))
		}
	}
	n.run()
	for rank := range n.groups {
		if len(n.results[rank]) != 2 || n.results[rank][1].Err != nil || len(n.groups[rank].Members()) != 4 {
			t.Errorf("rank %d has %d results", rank, len(n.results[rank]))
		}
	}
}

// TestLinksOfEarlierMembers: a rank may have heard the links of a call that others repeat without a lost rank, and that
// then has other links. They do not count, so that all choose the same algorithm, and no rank doubts the links.
func TestLinksOfEarlierMembers(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 6))
		c := Config{Ranks: 4 + r.IntN(5), IfLost: Repeat, Chunk: 512 + r.IntN(4096), Streams: []Spec{{Elem: tensor.Float32}}}
		n := newNetwork(t, seed, c)
		size, lost, when := 1+r.IntN(4000), r.IntN(c.Ranks), 1+r.IntN(400)
		for range 8 {
			for rank, g := range n.groups {
				if err := g.Begin(0, drawn(r, tensor.Float32, 1, size)); err != nil {
					t.Fatal(err)
				}
				for range r.IntN(4 * (rank + 1)) {
					n.step()
				}
			}
		}
		for at := 0; n.step() || !n.dead[lost]; at++ {
			if at == when {
				n.kill(lost)
			}
			if n.dead[lost] && r.IntN(4) == 0 {
				n.groups[(lost+1+r.IntN(c.Ranks-1))%c.Ranks].Down(lost)
			}
			for rank, g := range n.groups {
				if g.doubts || g.static {
					t.Fatalf("seed %d: rank %d doubts the links, and no rank has lied", seed, rank)
				}
			}
		}
	}
}

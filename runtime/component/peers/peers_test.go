package peers

import (
	"bytes"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func id(i byte) wire.PeerID {
	p, err := wire.PeerIDOf(bytes.Repeat([]byte{i}, 32))
	if err != nil {
		panic(err)
	}
	return p
}

// node returns peer 1 of class a, which knows peers 2 to 5 of that class and one of class b.
func node(t *testing.T) *runtime.Node {
	c := runtime.Config{Self: id(1), Incarnation: 1, Seed: 7}
	for i := byte(2); i < 6; i++ {
		c.Peers = append(c.Peers, runtime.PeerConfig{ID: id(i), Class: "a", Rank: int(i)})
	}
	c.Peers = append(c.Peers, runtime.PeerConfig{ID: id(9), Class: "b"})
	n, err := runtime.New(c, &runtime.Partition{Class: "a"})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestView checks the view of a class, and selections from it.
func TestView(t *testing.T) {
	v := View{Class: "a"}
	n := node(t)
	all, _ := v.CurrentView(n)
	if !slices.Equal(all, []wire.PeerID{id(2), id(3), id(4), id(5)}) {
		t.Errorf("the view is %v, want 2 to 5", all)
	}
	if near, _ := v.SelectNear(n, tensor.DenseOf([]uint8{4}, 1), 2); !slices.Equal(near, []wire.PeerID{id(4), id(5)}) {
		t.Errorf("near 4 are %v, want 4 and 5", near)
	}
	if _, err := v.Select(n, "best", 1); err == nil {
		t.Error("the best peer is selected")
	}
}

// TestSample checks how often each peer is drawn.
func TestSample(t *testing.T) {
	v := View{Class: "a"}
	count := map[wire.PeerID]int{}
	n := node(t)
	for range 4000 {
		two, _ := v.Select(n, "random", 2)
		if len(two) != 2 || two[0] == two[1] {
			t.Fatalf("%v, want two different peers", two)
		}
		count[two[0]]++
		count[two[1]]++
	}
	for p, c := range count {
		if c < 1800 || c > 2200 {
			t.Errorf("peer %v was drawn %d times of 4000, want about 2000", p, c)
		}
	}
	if many, _ := v.Sample(n, 9); len(many) != 4 {
		t.Errorf("%d peers, want all 4", len(many))
	}
	a, _ := v.Sample(node(t), 3)
	b, _ := v.Sample(node(t), 3)
	if !slices.Equal(a, b) {
		t.Errorf("the same seed draws %v and %v", a, b)
	}
}

func TestConstant(t *testing.T) {
	n := node(t)
	for _, c := range []struct {
		view Constant
		want []wire.PeerID
	}{
		{Constant{Class: "a", Ranks: []int{5, 3, 9, 5}}, []wire.PeerID{id(5), id(3)}},
		{Constant{Class: "a", Ranks: []int{1, -1, 0, 6}, Ring: true}, []wire.PeerID{id(2), id(5)}},
		{Constant{Class: "b", Ranks: []int{0}}, []wire.PeerID{id(9)}},
		{Constant{Class: "c", Ranks: []int{0, 1}, Ring: true}, nil},
	} {
		if got, _ := c.view.CurrentView(n); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.view, got, c.want)
		}
	}
}

// An empty list is a mistake of the author, which is reported before the peer begins.
func TestConstantOfNobody(t *testing.T) {
	for _, c := range []Constant{{}, {Class: "a"}, {Ranks: []int{1}}} {
		if c.Open(runtime.Env{}) == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if err := (&Constant{Class: "a", Ranks: []int{0}}).Open(runtime.Env{}); err != nil {
		t.Error(err)
	}
}

package registry

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Configurations that a registry would refuse are errors before the peer begins.
func TestOpen(t *testing.T) {
	for want, c := range map[string]*Client{
		"registry.Client: which class are the registries?":                                     {},
		"registry.Client: 1000 classes and 0 addresses, want at most 16 and 8":                 {Registry: "r", Wants: make([]string, 1000)},
		"registry.Client: 0 classes and 1000 addresses, want at most 16 and 8":                 {Registry: "r", Addresses: make([]string, 1000)},
		"registry.Client: TTL is -1 seconds, want 1 to 300":                                    {Registry: "r", TTL: -1},
		"registry.Client: TTL is 1000000000 seconds, want 1 to 300":                            {Registry: "r", TTL: 1e9},
		"registry.Client: TTL is " + strconv.Itoa(math.MaxInt/2+1) + " seconds, want 1 to 300": {Registry: "r", TTL: math.MaxInt/2 + 1}, // 0 nanoseconds, as it overflows
	} {
		if err := c.Open(runtime.Env{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := (&Client{Registry: "r", Wants: []string{"w"}, TTL: 60}).Open(runtime.Env{}); err != nil {
		t.Error(err)
	}
}

// Selections are from the peers that the registry has named.
func TestViewSelects(t *testing.T) {
	at, s := node(t, "r", 0, everybody), &Server{}
	clients := map[byte]*Client{}
	for i := byte(1); i <= 3; i++ {
		clients[i] = &Client{Registry: "r", Wants: []string{"w"}, TTL: 60, Admits: true}
		if err := announce(s, at, clients[i], node(t, "w", i, "r")); err != nil {
			t.Fatal(err)
		}
	}
	n := node(t, "w", 3, everybody[:3])
	c := &Client{Registry: "r", Wants: []string{"w"}, TTL: 60}
	if err := announce(s, at, c, n); err != nil {
		t.Fatal(err)
	}
	v := &View{"w", c}
	key := id(2).Key()
	if got, err := v.SelectNear(n, tensor.DenseOf(key[:], len(key)), 1); err != nil || !slices.Equal(got, []wire.PeerID{id(2)}) {
		t.Errorf("near 2 are %v (%v), want 2", got, err)
	}
	if got, err := v.Sample(n, 9); err != nil || len(got) != 2 {
		t.Errorf("the sample is %v (%v), want both others", got, err)
	}
}

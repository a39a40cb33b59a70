package classes

import (
	"reflect"
	"testing"
)

// TestIs compares single classes with joined ones.
func TestIs(t *testing.T) {
	for _, c := range []struct {
		class, other string
		want, shares bool
	}{
		{"client", "client", true, true},
		{"client", "clients", false, false},
		{"client+server", "server", true, true},
		{"client+server", "serve", false, false},
		{"client+server", "client+server", true, true},
		{"client", "client+server", false, true},
		{"a+c", "b+c", false, true},
		{"a+b+c", "a+c", true, true},
	} {
		if got := Is(c.class, c.other); got != c.want {
			t.Errorf("Is(%q, %q) is %v", c.class, c.other, got)
		}
		if got := Shares(c.class, c.other); got != c.shares {
			t.Errorf("Shares(%q, %q) is %v", c.class, c.other, got)
		}
	}
	if got := Join("server", "client", "server"); got != "client+server" {
		t.Errorf("got %s", got)
	}
}

// No two peers of a class have the same rank, whatever their other classes.
func TestRanks(t *testing.T) {
	for _, c := range []struct {
		classes []string
		counts  map[string]int
		want    [][]int
	}{
		{[]string{"server", "client"}, map[string]int{"client": 3}, [][]int{{0}, {0, 1, 2}}},
		{[]string{"client", "server", "client+server"}, map[string]int{"client": 2, "client+server": 1}, [][]int{{1, 2}, nil, {0}}},
		{[]string{"client", "client+server"}, nil, [][]int{{0}, nil}},
	} {
		if got := Ranks(c.classes, c.counts); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v, %v: got %v, want %v", c.classes, c.counts, got, c.want)
		}
	}
}

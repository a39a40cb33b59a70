package run

import (
	"reflect"
	"testing"
)

func TestSetCounts(t *testing.T) {
	list := []class{{name: "client"}, {name: "client+server"}, {name: "server"}}
	for _, c := range []struct {
		text string
		want [3][]int
	}{
		{"", [3][]int{{0}, nil, {0}}},
		{"client=3", [3][]int{{0, 1, 2}, nil, {0}}},
		{"client+server=1", [3][]int{nil, {0}, nil}},
		{"client+server=1,client=2", [3][]int{{1, 2}, {0}, nil}},
		{"client+server=2,server=1", [3][]int{nil, {0, 1}, {2}}},
	} {
		if err := setCounts("peer", list, c.text); err != nil {
			t.Fatal(err)
		}
		if got := [3][]int{list[0].ranks, list[1].ranks, list[2].ranks}; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: ranks %v, want %v", c.text, got, c.want)
		}
	}
	for _, text := range []string{"client", "client=0", "client=x", "worker=2", "client=8,", "=3"} {
		if err := setCounts("peer", list, text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

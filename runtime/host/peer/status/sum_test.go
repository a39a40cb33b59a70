package status

import (
	"encoding/json"
	"strings"
	"testing"
)

// picture returns the picture of a client with some executions that wait for the server.
func picture(waits int, waited int64, oldest string) *Picture {
	return &Picture{Class: "client", Modules: []PictureModule{{Name: "train", Live: waits, Blocks: []PictureBlock{
		{Name: "begin", Needs: []PictureNeed{{Name: "fill params", Waits: waits, Waited: waited, Oldest: oldest}}}, {Name: "reply"},
	}}}, Edges: []PictureEdge{{Name: "server.params", Class: "server", In: true, Fills: 2, Bytes: 20}, {Name: "client.update", Class: "server", Fills: 1, Bytes: 10}}}
}

// The picture of a class has the sums of its peers, and names the one that has waited for longest.
func TestSum(t *testing.T) {
	other := picture(7, 9e9, "for 9s")
	other.Modules[0].Name = "learn"
	list := []*Picture{nil, picture(1, 1e9, "for 1s: server-0"), picture(2, 3e9, "for 3s: server-0"), picture(0, 0, ""), other, picture(1, 2e9, "for 2s: server-0")}
	before, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	p := Sum([]string{"client-0", "client-1", "client-2", "client-3", "client-4", "client-5"}, list)
	m := p.Modules[0]
	if n := m.Blocks[0].Needs[0]; m.Live != 4 || n.Waits != 4 || n.Waited != 3e9 || n.Oldest != "client-2 for 3s: server-0" {
		t.Errorf("the sum is %+v", m)
	}
	if e := p.Edges; e[0].Fills != 8 || e[0].Bytes != 80 || e[1].Fills != 4 || e[1].Bytes != 40 {
		t.Errorf("the edges are %+v", e)
	}
	if after, err := json.Marshal(list); err != nil || string(after) != string(before) {
		t.Errorf("the pictures of peers have changed: %s, %v", after, err)
	}
	html := p.HTML("picture-client", "Under way: <clients>")
	for _, want := range []string{`<h2>Under way: &lt;clients&gt;</h2>`, `id="picture-client-scroll"`, "fill params · 4 waiting", "from server: 8, 80 B"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %s:\n%s", want, html)
		}
	}
	if p := Sum([]string{"client-0"}, []*Picture{nil}); p != nil || p.HTML("x", "y") != "" {
		t.Errorf("the sum of nothing is %+v", p)
	}
}

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/examples/fedavg/program"
	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/internal/handmade/kills"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/runtime/host/launch"
)

var killed = flag.Int("kills", 4, "how many peers of each federation are killed")

// TestKills kills peers of the example at any moment, over TCP and libp2p, with and without state. Its rounds
// are short.
//
// If a round requires all clients, and all keep snapshots, the final model is the same as without kills.
// Otherwise it depends on the clients in each round, or on the state that they have lost; then the rounds
// still continue to the last one.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight processes, and kills them")
	}
	data := t.TempDir()
	if err := drawn.Write(data, 8000, 1000); err != nil {
		t.Fatal(err)
	}
	rounds := 8 + 3**killed
	short := []string{
		fmt.Sprintf("Rounds  = %d", program.Rounds), fmt.Sprintf("Rounds  = %d", rounds),
		fmt.Sprintf("Steps   = %d", program.Steps), "Steps   = 1",
		fmt.Sprintf("Tests   = %d", program.Tests), "Tests   = 100",
	}
	all := []string{"Quorum(Clients/2)", "Quorum(Clients)", "g.Rounds(Rounds)", "g.Rounds(Rounds, dsl.IfShort(dsl.Repeat))"}
	for _, v := range []struct {
		name    string
		changes []string
		whole   bool
	}{{"half", short, false}, {"all", append(all, short...), true}} {
		t.Run(v.name, func(t *testing.T) {
			f := federation{data: data, bin: changed(t, v.changes...), rounds: rounds}
			for _, host := range []string{"tcp", "libp2p"} {
				t.Run(host+" with state", func(t *testing.T) {
					got := f.run(t, host, kills.Options{Kills: *killed, State: true, MayDiffer: !v.whole})
					if !v.whole {
						return
					}
					if want := f.run(t, host, kills.Options{State: true}); got.Model != want.Model {
						t.Errorf("the last model is %s, want %s", got.Model, want.Model)
					}
				})
				t.Run(host+" without state", func(t *testing.T) {
					f.run(t, host, kills.Options{Kills: *killed, MayDiffer: true})
				})
			}
		})
	}
}

// changed builds the peers of the program with some of its text replaced.
func changed(t *testing.T, pairs ...string) map[string]string {
	t.Helper()
	dir, remove, err := project.TempDir(".", "kills-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	text, err := os.ReadFile(filepath.Join("program", "program.go"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(string(text), pairs[i]) {
			t.Fatalf("the program has no %q", pairs[i])
		}
	}
	model, err := filepath.Abs(filepath.Join("..", "train", "lenet.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	pairs = append(pairs, "../../train/lenet.onnx", model)
	source := filepath.Join(dir, "program")
	if err := os.Mkdir(source, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(source, "program.go"), []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := record.Read(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	home, err := project.Find(filepath.Join(dir, "peer"))
	if err != nil {
		t.Fatal(err)
	}
	hosts, _, err := home.Network("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := bbgen.Compile(in.Module, bbgen.Config{Source: in.Source, Import: home.Import, Hosts: hosts, Cut: &bbgen.Cut{Dir: in.Dir}})
	if err != nil {
		t.Fatal(err)
	}
	if err := project.Write(home, r.Files); err != nil {
		t.Fatal(err)
	}
	bin, err := gobuild.Peers(t.TempDir(), "github.com/bbgen/bbgen/examples/fedavg/"+filepath.ToSlash(filepath.Join(dir, "peer")), "server", "client")
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// federation is the peers of the example, built.
type federation struct {
	data   string
	bin    map[string]string
	rounds int
}

// run runs all rounds.
func (f *federation) run(t *testing.T, host string, o kills.Options) *kills.Result {
	t.Helper()
	o.Rounds = f.rounds
	args := []string{"-host", host, "-data", f.data}
	peers := []launch.Peer{{Class: "server", Binary: f.bin["server"], Args: append([]string{"-await", fmt.Sprint("client=", program.Clients)}, args...)}}
	for rank := range program.Clients {
		peers = append(peers, launch.Peer{Class: "client", Rank: rank, Binary: f.bin["client"], Args: args})
	}
	r, err := kills.Follow(launch.Options{Dir: t.TempDir(), Peers: peers, State: o.State, Seed: 1}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", r)
	return r
}

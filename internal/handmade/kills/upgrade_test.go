package kills_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade/kills"
	"github.com/bbgen/bbgen/runtime/host/launch"
)

const upgradeRounds = 8

// fleet is a server and two clients, each a copy of the test's binary.
type fleet struct {
	t *testing.T
	*launch.Fleet
	dir string
}

func startFleet(t *testing.T) *fleet {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("a process cannot become another binary here")
	}
	t.Setenv("BBGEN_TEST_KILLS_ROUNDS", "8")
	t.Setenv("BBGEN_TEST_KILLS_STATE", "true")
	f := &fleet{t: t, dir: t.TempDir()}
	peers := []launch.Peer{{Class: "server"}, {Class: "client"}, {Class: "client", Rank: 1}}
	for i := range peers {
		peers[i].Binary = filepath.Join(f.dir, peers[i].Class)
	}
	f.copy("server", "1")
	f.copy("client", "1")
	var err error
	if f.Fleet, err = launch.Start(launch.Options{Dir: filepath.Join(f.dir, "state"), Peers: peers, State: true, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Stop()
		for range f.Lines() {
		}
	})
	return f
}

func (f *fleet) copy(name, build string) string {
	f.t.Helper()
	file := filepath.Join(f.dir, name)
	if err := kills.CopyAs(file, build); err != nil {
		f.t.Fatal(err)
	}
	return file
}

// model waits for the model of a round, and returns its hash.
func (f *fleet) model(round uint64) string {
	f.t.Helper()
	late := time.After(5 * time.Minute)
	for {
		select {
		case l := <-f.Lines():
			if l.Error != "" && (l.Kind == "ended" || l.Kind == "exited" || l.Kind == "failed") {
				f.t.Fatalf("%s: %s: %s", l.Peer, l.Kind, l.Error)
			}
			if l.Kind == "emitted" && l.Name == "server.model" && l.Round == round {
				return l.Hash
			}
		case <-late:
			f.t.Fatalf("round %d has not ended in 5 minutes", round)
		}
	}
}

// order makes the server continue as another binary, and returns the command's output.
func (f *fleet) order(binary string) (string, error) {
	cmd := exec.Command(filepath.Join(f.dir, "server"), "upgrade", "-state", filepath.Join(f.dir, "state", "server-0", "state"), "-binary", binary)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// halt makes the server wait in the middle of a round: a client is missing.
func (f *fleet) halt() {
	f.t.Helper()
	f.model(3)
	if err := f.Kill(2); err != nil {
		f.t.Fatal(err)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// finish restarts the client, and returns the last model.
func (f *fleet) finish() string {
	f.t.Helper()
	if err := f.Restart(2); err != nil {
		f.t.Fatal(err)
	}
	return f.model(upgradeRounds)
}

var plain string

// plainModel returns the last model without upgrades.
func plainModel(t *testing.T) string {
	t.Helper()
	if plain == "" {
		f := startFleet(t)
		plain = f.model(upgradeRounds)
		f.Stop()
	}
	return plain
}

// A server that becomes another binary in the middle of its rounds has the same final model as without that.
// The previous binary is kept; one that cannot continue is refused.
func TestUpgrade(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	want := plainModel(t)
	f := startFleet(t)
	f.halt()
	pid := f.Pid(0)
	if out, err := f.order(f.copy("client.new", "2")); err == nil || !strings.Contains(out, "it is a client.new of program averaging, this is a server of averaging") {
		t.Errorf("a client's binary: %v, %s", err, out)
	}
	if out, err := f.order(filepath.Join(f.dir, "none")); err == nil || !strings.Contains(out, "does not say which version it is") {
		t.Errorf("no binary: %v, %s", err, out)
	}
	if err := os.Mkdir(filepath.Join(f.dir, "new"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := f.order(f.copy("new/server", "2"))
	if err != nil || !strings.Contains(out, "build 2") {
		t.Fatalf("%v, %s", err, out)
	}
	if got := f.Pid(0); got != pid {
		t.Errorf("the server has process %d, and had %d", got, pid)
	}
	if got := f.finish(); got != want {
		t.Errorf("the last model is %s, want %s", got, want)
	}
	for name, build := range map[string]string{"server": "2", "server.previous": "1"} {
		b, err := os.ReadFile(filepath.Join(f.dir, name))
		if err != nil || !strings.HasSuffix(string(b), "BUILD "+build) {
			t.Errorf("%s is not build %s: %v", name, build, err)
		}
	}
}

// A server that is killed in the middle of an upgrade, at any point, loses nothing.
func TestUpgradeKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	want := plainModel(t)
	for _, sign := range []string{"server.previous", "state/server-0/state/upgrade.json"} {
		f := startFleet(t)
		f.halt()
		if err := os.Mkdir(filepath.Join(f.dir, "new"), 0o700); err != nil {
			t.Fatal(err)
		}
		next := f.copy("new/server", "2")
		over := make(chan string, 1)
		go func() {
			out, _ := f.order(next)
			over <- out
		}()
		out := ""
		for out == "" && !exists(filepath.Join(f.dir, sign)) { // the command gives up after a time
			select {
			case out = <-over: // the sign has appeared and vanished: the server is killed after the upgrade
			case <-time.After(time.Millisecond):
			}
		}
		if err := f.Kill(0); err != nil {
			t.Fatal(err)
		}
		if err := f.Restart(0); err != nil {
			t.Fatal(err)
		}
		if out == "" {
			out = <-over
		}
		if !strings.Contains(out, "build 2") {
			t.Errorf("killed at %s: %s", sign, out)
		}
		if got := f.finish(); got != want {
			t.Errorf("killed at %s: the last model is %s, want %s", sign, got, want)
		}
	}
}

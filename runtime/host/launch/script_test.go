//go:build unix

package launch

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

// scripts starts peers that are shell scripts, with a log.
func scripts(t *testing.T, log *strings.Builder, texts ...string) *Fleet {
	t.Helper()
	dir := t.TempDir()
	var peers []Peer
	for i, text := range texts {
		file := filepath.Join(dir, "script"+string(rune('0'+i)))
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		peers = append(peers, Peer{Class: "tick", Rank: i, Binary: file, Args: []string{"-more", "x"}})
	}
	f, err := Start(Options{Dir: filepath.Join(dir, "fleet"), Peers: peers, State: true, Seed: 7, At: "/ip4/192.0.2.1/tcp/4222", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Stop()
		for range f.Lines() {
		}
	})
	return f
}

// TestLines: what a peer prints that is no event, or longer than an event can be, is passed over. It neither ends the peer nor
// hides its later events.
func TestLines(t *testing.T) {
	var log strings.Builder
	f := scripts(t, &log, `
echo '{"kind":"first","peer":"tick-0"}'
echo 'no JSON'
echo '[1]'
head -c 3000000 /dev/zero | tr '\0' x
echo
echo '{"kind":"second","peer":"tick-0"}'
printf '{"kind":"last","peer":"tick-0"}'
`)
	for _, kind := range []string{"first", "second", "last"} {
		await(t, f, "tick-0", kind)
	}
	if l := await(t, f, "tick-0", "exited"); l.Error != "" {
		t.Errorf("it ends with %s", l.Error)
	}
}

// TestReason: a peer that fails is reported with its exit code and the last that it has said, which is in the log with
// everything before it. The others go on.
func TestReason(t *testing.T) {
	var log strings.Builder
	f := scripts(t, &log, "echo first >&2; echo 'the disk is full' >&2; exit 3\n", "echo '{\"kind\":\"still there\",\"peer\":\"tick-1\"}'; exec sleep 100\n")
	if l := await(t, f, "tick-0", "exited"); !strings.HasPrefix(l.Error, "exit status 3: ") || !strings.Contains(l.Error, "the disk is full") {
		t.Errorf("it ends with %q", l.Error)
	}
	if f.ExitCode(0) != 3 || f.ExitCode(1) != 0 || f.Pid(0) != 0 || f.Pid(1) == 0 {
		t.Errorf("the codes are %d and %d, the processes %d and %d", f.ExitCode(0), f.ExitCode(1), f.Pid(0), f.Pid(1))
	}
	if err := f.Kill(0); err != nil {
		t.Errorf("killing a peer that has ended: %v", err)
	}
	go func() {
		if err := f.Kill(1); err != nil {
			t.Error(err)
		}
	}()
	if l := await(t, f, "tick-1", "exited"); l.Error != "" || f.ExitCode(1) != -1 {
		t.Errorf("a peer that was to end ends with %q, code %d", l.Error, f.ExitCode(1))
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if got := log.String(); !strings.Contains(got, "first\n") || !strings.Contains(got, "the disk is full\n") {
		t.Errorf("the log is %q", got)
	}
}

// TestArgs: each peer is given its key, the list of all peers, its rank, the seed and a folder for its state, and behind these
// its own flags.
func TestArgs(t *testing.T) {
	var log strings.Builder
	say := `printf '{"kind":"args","peer":"tick-%s","name":"%s"}\n' ` + "$0 \"$*\"\n"
	f := scripts(t, &log, strings.Replace(say, "$0", "0", 1), strings.Replace(say, "$0", "1", 1))
	said := map[string][]string{}
	for l := range f.Lines() { // in any order
		if l.Kind == "args" {
			if said[l.Peer] = strings.Fields(l.Name); len(said) == 2 {
				break
			}
		}
	}
	for i, name := range []string{"tick-0", "tick-1"} {
		args := said[name]
		value := func(flag string) string {
			for k, a := range args {
				if a == flag && k+1 < len(args) {
					return args[k+1]
				}
			}
			return ""
		}
		key, err := peer.ReadKey(value("-key"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(value("-peers"))
		if err != nil {
			t.Fatal(err)
		}
		var members []peer.Member
		if err := json.Unmarshal(b, &members); err != nil || len(members) != 2 || members[i].ID != peer.IDOf(key) || members[i].Rank != i || members[i].Class != "tick" {
			t.Errorf("the list is %s, %v, want peer %v at %d", b, err, peer.IDOf(key), i)
		}
		for flag, want := range map[string]string{"-rank": string(rune('0' + i)), "-seed": "7", "-events": "-", "-listen": "/ip4/192.0.2.1/tcp/4222", "-state": filepath.Join(f.dir(i), "state"), "-more": "x"} {
			if got := value(flag); got != want {
				t.Errorf("%s: %s is %q, want %q", name, flag, got, want)
			}
		}
		if st, err := os.Stat(filepath.Dir(value("-key"))); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("others can read the folder of the key: %v, %v", st.Mode(), err)
		}
	}
}

// TestStartFails: a fleet of which one peer cannot be started does not start, and leaves no process behind.
func TestStartFails(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := Start(Options{Dir: dir, Peers: []Peer{{Class: "a", Binary: script}, {Class: "b", Binary: filepath.Join(dir, "none")}}})
	if f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, %v, want that there is no binary", f, err)
	}
	if f, err := Start(Options{Dir: script, Peers: []Peer{{Class: "a", Binary: script}}}); f != nil || err == nil {
		t.Errorf("in a folder that is a file: %v, %v", f, err)
	}
}

// TestRestartFails: a peer whose files are gone cannot be restarted, and can be when they are back.
func TestRestartFails(t *testing.T) {
	var log strings.Builder
	f := scripts(t, &log, "exit 0\n")
	await(t, f, "tick-0", "exited")
	list, err := os.ReadFile(f.roster())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "[{]"} {
		if err := os.WriteFile(f.roster(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Restart(0); err == nil || strings.Contains(err.Error(), "runs already") {
			t.Errorf("with the list %q: %v", text, err)
		}
	}
	os.Remove(f.roster())
	if err := f.Restart(0); !errors.Is(err, fs.ErrNotExist) || f.Pid(0) != 0 {
		t.Errorf("without a list: %v, and the process %d runs", err, f.Pid(0))
	}
	if err := os.WriteFile(f.roster(), list, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Restart(0); err != nil {
		t.Errorf("with the list again: %v", err)
	}
	await(t, f, "tick-0", "exited")
}

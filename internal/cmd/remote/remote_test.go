package remote

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// serve runs the verb with a state directory until the test ends, or stop is called.
func serve(t *testing.T, dir string, args ...string) (address string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		cmd := serveCommand()
		cmd.SetArgs(append([]string{"--listen", "127.0.0.1:0", "--state", dir}, args...))
		cmd.SetOut(w)
		err := cmd.ExecuteContext(ctx)
		w.CloseWithError(err)
		done <- err
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, r)
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return strings.TrimSpace(line), stop
}

func invite(t *testing.T, dir string, args ...string) string {
	t.Helper()
	text, err := output(inviteCommand(), append([]string{"--state", dir}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text)
}

func output(cmd *cobra.Command, args ...string) (string, error) {
	var out strings.Builder
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	err := cmd.Execute()
	return out.String(), err
}

// compute dials a server and runs an operation there.
func compute(address string, key ed25519.PrivateKey) error {
	d, err := remote.Dial(context.Background(), remote.Config{Address: address, Key: key})
	if err != nil {
		return err
	}
	defer d.Close()
	x := d.Register(tensor.Of([]float32{1, 2}, 2))
	y, err := d.Execute("Add", nil, x, x).Read(context.Background())
	if err == nil && tensor.Data[float32](y)[1] != 4 {
		err = errors.New("the sum is wrong")
	}
	return err
}

// An invitation admits one client permanently, also after a restart of the server.
func TestInvitation(t *testing.T) {
	dir := t.TempDir()
	address, stop := serve(t, dir)
	mine, another := newKey(t), newKey(t)
	if err := compute(address, mine); !errors.Is(err, remote.ErrRefused) || !strings.Contains(err.Error(), "bbgen remote invite") {
		t.Errorf("without an invitation: got %v, want %v, and what to do", err, remote.ErrRefused)
	}
	token := invite(t, dir)
	if err := compute(token, mine); err != nil {
		t.Error(err)
	}
	if err := compute(token, another); !errors.Is(err, remote.ErrRefused) {
		t.Errorf("the invitation was used: got %v, want %v", err, remote.ErrRefused)
	}
	stop()
	if err := compute(address, mine); err == nil || !strings.HasSuffix(err.Error(), `does "bbgen remote serve" run there?`) {
		t.Errorf("no server runs: got %v, want what to do", err)
	}
	address, _ = serve(t, dir)
	if err := compute(address, mine); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	if err := compute(invite(t, dir, "--address", strings.Split(address, "/p2p/")[0]), another); err != nil {
		t.Errorf("with an invitation to another address: %v", err)
	}
}

func TestAllow(t *testing.T) {
	key := newKey(t)
	address, _ := serve(t, t.TempDir(), "--allow", peer.IDOf(key).String(), "--client-memory", "1MiB")
	if err := compute(address, key); err != nil {
		t.Error(err)
	}
}

func TestMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		"--listen":   {"--listen", "nowhere"},
		"--allow":    {"--allow", "somebody"},
		"--sessions": {"--sessions", "0"},
		"--devices":  {"--devices", "0"},
	} {
		cmd := serveCommand()
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		if _, err := output(cmd, append(args, "--state", t.TempDir())...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want an error about %s", args, err, want)
		}
	}
	if _, err := output(inviteCommand(), "--state", t.TempDir()); err == nil || !strings.Contains(err.Error(), "start bbgen remote serve") {
		t.Errorf("no server has run: got %v, want what to do", err)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		have                uint64
		all, each           int
		wantAll, wantClient int
	}{
		{8 << 30, 0, 0, min(6<<30, math.MaxInt), min(6<<30, math.MaxInt) / 2},
		{8 << 30, 1 << 30, 0, 1 << 30, 1 << 29},
		{8 << 30, 1 << 30, 3 << 29, 1 << 30, 1 << 30},
		{0, 0, 0, machine.UsualMemory / 4 * 3, machine.UsualMemory / 8 * 3},
	} {
		all, each := limits(&machine.Machine{Memory: c.have}, c.all, c.each)
		if all != c.wantAll || each != c.wantClient {
			t.Errorf("%+v: got %d and %d", c, all, each)
		}
	}
}

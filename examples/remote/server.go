package main

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// serve starts a server as a process, and opens a session on it. The function stop ends both.
func serve(ctx context.Context, bbgen, dir, name string) (d *remote.Device, stop func(), err error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, bbgen, "remote", "serve", "--listen", "127.0.0.1:0",
		"--state", filepath.Join(dir, name), "--allow", peer.IDOf(key).String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, err
	}
	kill := func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		d, err = remote.Dial(ctx, remote.Config{Address: strings.TrimSpace(address), Key: key})
	}
	if err != nil {
		kill()
		return nil, nil, fmt.Errorf("the %s server: %w", name, err)
	}
	return d, func() {
		d.Close()
		kill()
	}, nil
}

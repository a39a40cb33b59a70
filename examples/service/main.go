// Service runs a front and a worker, and answers HTTP requests with the worker's results. Here both are in
// one process; in production, each is on its own machine. It sends itself a few requests, and prints the
// answers. The last line is a JSON object.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	front "github.com/bbgen/bbgen/examples/service/peer/front/partition"
	worker "github.com/bbgen/bbgen/examples/service/peer/worker/partition"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
)

// The partitions of the peers.
var (
	frontProgram = peer.Program{Name: "service", Class: "front", Classes: []string{"front", "worker"},
		Fingerprint: []byte(front.Fingerprint), Partition: front.Default, Transport: tcp.New}
	workerProgram = peer.Program{Name: "service", Class: "worker", Classes: []string{"front", "worker"},
		Fingerprint: []byte(worker.Fingerprint), Partition: worker.Default, Transport: tcp.New}
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer) error {
	dir, err := os.MkdirTemp("", "service")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f, wk, err := start(ctx, dir)
	if err != nil {
		return err
	}
	defer wk.Close()
	defer f.Close()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler(f)}
	go server.Serve(at)
	defer server.Close()
	return ask(w, "http://"+at.Addr().String())
}

// start starts a worker, and a front with the worker's address.
func start(ctx context.Context, dir string) (f, wk *peer.Peer, err error) {
	key := func(name string) (file string, m peer.Member, err error) {
		file = filepath.Join(dir, name+".pem")
		k, err := peer.NewKey(file)
		if err != nil {
			return file, m, err
		}
		return file, peer.Member{ID: peer.IDOf(k), Class: name}, nil
	}
	frontKey, frontMember, err := key("front")
	if err != nil {
		return nil, nil, err
	}
	workerKey, workerMember, err := key("worker")
	if err != nil {
		return nil, nil, err
	}
	fronts, err := list(filepath.Join(dir, "fronts.json"), frontMember)
	if err != nil {
		return nil, nil, err
	}
	wk, err = peer.Start(ctx, workerProgram, "-key", workerKey, "-peers", fronts, "-listen", "127.0.0.1:0", "-log", "none")
	if err != nil {
		return nil, nil, err
	}
	workerMember.Addresses = wk.Addresses()
	workers, err := list(filepath.Join(dir, "workers.json"), workerMember)
	if err == nil {
		f, err = peer.Start(ctx, frontProgram, "-key", frontKey, "-peers", workers, "-await", "worker=1", "-grace", "1s", "-log", "none")
	}
	if err != nil {
		wk.Close()
		return nil, nil, err
	}
	return f, wk, nil
}

// list writes a list of peers.
func list(file string, m ...peer.Member) (string, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	return file, os.WriteFile(file, b, 0o600)
}

// ask sends a few requests to the service.
func ask(w io.Writer, url string) error {
	answers := 0
	for _, numbers := range []string{"[1, 2, 3]", "[10]", "[-1, 1]"} {
		r, err := http.Post(url, "application/json", strings.NewReader(numbers))
		if err != nil {
			return err
		}
		b, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return err
		}
		if r.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", r.Status, b)
		}
		fmt.Fprintf(w, "%s: %s", numbers, b)
		answers++
	}
	return json.NewEncoder(w).Encode(struct {
		Answers int `json:"answers"`
	}{answers})
}

// Package deploy implements bbgen deploy, which makes binaries, images and configuration for shipping a
// program.
package deploy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/deploy"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// defaultTargets are the machines that binaries and images are for.
var defaultTargets = []string{"linux/amd64", "linux/arm64"}

// flags are the flags of the command.
type flags struct {
	deploy.Options
	targets     []string
	key         string
	oci         string
	peers       map[string]int
	invitations string
	registry    string
	json        bool
	quiet       bool
}

// Command is bbgen deploy.
func Command() *cobra.Command {
	f := new(flags)
	cmd := &cobra.Command{
		Use:   "deploy DIR -o OUT",
		Short: "make binaries, images and manifests that ship a program",
		Long: `Deploy makes what is needed to run a program on other machines. DIR is what bbgen has
written: the folder with the peers of a distributed program, or a model's package.

Without other flags OUT/release has a static binary of each class for each target, a list
of what is in it (an SBOM of CycloneDX), and SHA256SUMS, which --sign signs; "bbgen deploy
verify" checks all of it. --oci makes images from scratch, without Docker, and --push sends
them to a registry. The same program and the same Go give the same bytes.

--systemd, --compose, --k8s and --nomad write what runs the program there, each peer with a
configuration of its own and its state on a volume. --peers says how many there are of each
class. A peer joins by an invitation, which one that runs makes with its command invite:
--invitations reads them from a file, and puts each into the configuration of its peer.

What an earlier run has written to OUT is replaced.`,
		Example: `  bbgen deploy peer -o dist                                # binaries, SBOMs, checksums
  bbgen deploy peer -o dist --target linux/amd64,linux/arm/v7,windows/amd64 --sign key.pem
  bbgen deploy verify dist/release --key fleet.pub
  bbgen deploy peer -o dist --oci --version v1.2.0         # images as folders
  bbgen deploy peer -o dist --oci=archive && podman load -i dist/oci/fleet-server.tar
  bbgen deploy peer -o dist --push registry.example.org/fleet --version v1.2.0
  bbgen deploy peer -o dist --release --systemd
  bbgen deploy peer -o dist --k8s --peers client=8 --registry registry.example.org/fleet --invitations tokens`,
		Args: cli.One("DIR", "the folder that bbgen wrote"),
	}
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return f.run(cmd, args[0])
	}
	cmd.AddCommand(verifyCommand())
	return cmd
}

// add declares the flags.
func (f *flags) add(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVarP(&f.Out, "output", "o", "", "the `folder` to write")
	s.StringSliceVar(&f.targets, "target", defaultTargets, "the `machines` that binaries and images are for: GOOS/GOARCH, for amd64 and arm with a level, as in linux/arm/v7")
	s.StringVar(&f.Version, "version", "", "the `version` that images and lists of contents have, as in v1.2.0")
	s.BoolVar(&f.Release, "release", false, "make binaries, lists of contents and checksums, beside what else is asked for")
	s.StringVar(&f.key, "sign", "", "sign the checksums with the Ed25519 key in this `file`: \"keygen\" of a peer makes one")
	s.StringVar(&f.oci, "oci", "", "make an image of each class: folder, an OCI layout, or archive, one file; `form`")
	s.Lookup("oci").NoOptDefVal = "folder"
	s.StringVar(&f.Push, "push", "", "push the images to this `registry`, with Docker's or Podman's credentials")
	s.BoolVar(&f.Systemd, "systemd", false, "write a unit of each class for systemd")
	s.BoolVar(&f.Compose, "compose", false, "write a file for Docker's or Podman's Compose")
	s.BoolVar(&f.Kubernetes, "k8s", false, "write manifests for Kubernetes")
	s.BoolVar(&f.Nomad, "nomad", false, "write a job for Nomad")
	cli.Sizes(s, &f.peers, "peers", "in manifests, the `numbers` of peers of each class, as in client=8 (default 1)")
	s.StringVar(&f.invitations, "invitations", "", "in manifests, peers join by the invitations in this `file`, one a line; - is standard input")
	s.StringVar(&f.registry, "registry", "", "in manifests, images are pulled from this `registry` (default: the one of --push)")
	s.BoolVar(&f.json, "json", false, "print what was made as JSON")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "show no progress")
	cli.Complete(cmd, "target", "linux/amd64", "linux/arm64", "linux/arm/v7", "linux/riscv64", "darwin/arm64", "windows/amd64")
	cli.Complete(cmd, "oci", "folder", "archive")
}

// check completes the options, and finds mistakes on the command line.
func (f *flags) check() (err error) {
	if f.Out == "" {
		return cli.Usagef("where to? give -o OUT")
	}
	if f.Platforms, err = deploy.ParsePlatforms(f.targets); err != nil {
		return cli.Usagef("--target: %w", err)
	}
	if err := deploy.CheckVersion(f.Version); err != nil {
		return cli.Usagef("--version: %w", err)
	}
	switch f.oci {
	case "":
	case "folder":
		f.OCI = true
	case "archive":
		f.Archive = true
	default:
		return cli.Usagef("--oci is %q, want folder or archive", f.oci)
	}
	if !f.OCI && !f.Archive && f.Push == "" && !f.manifests() {
		f.Release = true
	}
	if err := f.checkManifests(); err != nil {
		return err
	}
	if f.key == "" {
		return nil
	}
	if !f.Release {
		return cli.Usagef("--sign signs the checksums of binaries, which are not asked for: add --release")
	}
	if f.Key, err = peer.ReadKey(f.key); err != nil {
		return fmt.Errorf("--sign: %w", err)
	}
	return nil
}

// checkManifests rejects flags of manifests if none are selected.
func (f *flags) checkManifests() error {
	if !f.manifests() && (f.peers != nil || f.invitations != "" || f.registry != "") {
		return cli.Usagef("--peers, --invitations and --registry are for manifests: add --systemd, --compose, --k8s or --nomad")
	}
	return nil
}

// manifests reports whether any manifests are selected.
func (f *flags) manifests() bool { return f.Systemd || f.Compose || f.Kubernetes || f.Nomad }

// fleet returns the peers for the manifests.
func (f *flags) fleet(cmd *cobra.Command, p *deploy.Program) (*deploy.Fleet, error) {
	var tokens []string
	if f.invitations != "" {
		in := cmd.InOrStdin()
		if f.invitations != "-" {
			file, err := os.Open(f.invitations)
			if err != nil {
				return nil, fmt.Errorf("--invitations: %w", err)
			}
			defer file.Close()
			in = file
		}
		var err error
		if tokens, err = deploy.ReadInvitations(in); err != nil {
			return nil, fmt.Errorf("--invitations: %w", err)
		}
	}
	return p.NewFleet(f.peers, tokens, cmp.Or(f.registry, f.Push))
}

// run makes everything that is selected, and prints a report.
func (f *flags) run(cmd *cobra.Command, dir string) error {
	if err := f.check(); err != nil {
		return err
	}
	program, err := deploy.Find(dir)
	if err != nil {
		return err
	}
	if f.Fleet, err = f.fleet(cmd, program); err != nil {
		return err
	}
	p := cli.NewProgress(cmd.ErrOrStderr(), f.quiet, false)
	defer p.Done()
	f.Progress = p.Stage
	r, err := program.Run(cmd.Context(), &f.Options)
	if err != nil {
		return err
	}
	p.Done()
	return f.print(cmd.OutOrStdout(), r)
}

// print prints the report.
func (f *flags) print(w io.Writer, r *deploy.Report) error {
	if f.json {
		return json.NewEncoder(w).Encode(r)
	}
	for _, i := range r.Images {
		fmt.Fprintf(w, "image %s %s\n", i.Name, i.Digest)
		if i.Pushed != "" {
			fmt.Fprintf(w, "pushed %s\n", i.Pushed)
		}
	}
	_, err := fmt.Fprintf(w, "wrote %d files; %s lists them\n", len(r.Files), filepath.Join(f.Out, deploy.ReportFile))
	return err
}

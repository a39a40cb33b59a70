package deploy

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/deploy"
)

// verifyCommand is bbgen deploy verify.
func verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify RELEASE",
		Short: "check the files of a release, and their signature",
		Long: `Verify compares the files of a release with SHA256SUMS: each is there as the list says,
and there is no other. With --key it checks first that the owner of the key has signed the
list. Take the key from a source that you trust, not from the folder of the files. The maker of
a release publishes its SHA256SUMS.pub.

OpenSSL checks the signature as well:
  openssl pkeyutl -verify -pubin -inkey fleet.pub -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig`,
		Example: `  bbgen deploy verify dist/release --key fleet.pub`,
		Args:    cli.One("RELEASE", "the folder with SHA256SUMS"),
	}
	file := cmd.Flags().String("key", "", "the public key of the signer, in PEM, is in this `file`")
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var key ed25519.PublicKey
		if *file != "" {
			var err error
			if key, err = deploy.ReadPublicKey(*file); err != nil {
				return fmt.Errorf("--key: %w", err)
			}
		}
		files, err := deploy.Verify(args[0], key)
		if err != nil {
			return err
		}
		w := cmd.OutOrStdout()
		if *asJSON {
			return json.NewEncoder(w).Encode(map[string]any{"files": files, "signed": key != nil})
		}
		if key == nil {
			_, err = fmt.Fprintf(w, "%d files are as SHA256SUMS says; its signature was not checked: give --key\n", files)
			return err
		}
		_, err = fmt.Fprintf(w, "%d files are as SHA256SUMS says, which the owner of %s has signed\n", files, *file)
		return err
	}
	return cmd
}

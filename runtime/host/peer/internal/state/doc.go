// Package state manages the directory in which a peer stores its state between two runs: the lock, the names of
// files, and checksums.
//
// Files that users may read are JSON with a checksum ([Seal], [Unseal]). A [Snapshot] is written beside the
// last one and replaces it when it is durable; the previous one is kept in case the last one is damaged. An [Order]
// and a [Predecessor] record an upgrade that is under way. The package does not know the content of other files.
package state

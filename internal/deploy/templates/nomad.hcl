[[$first := index . 0 -]]
# The program [[$first.Program]], by "bbgen deploy --nomad".
#
[[- if not $first.Model]]
[[- range .]]
#   nomad var put -in=json @[[.Name]].vars.json
[[- end]]
[[- end]]
#   nomad job run [[$first.Program]].nomad.hcl
[[- if not $first.Model]]
#
# Each peer has a host volume of its own for its state, which user [[$first.User]] can write:
# [[$first.Name]][0] for the first of its class.
[[- end]]

job "[[$first.Program]]" {
  type = "service"
[[- range $u := .]]

  group "[[if .Model]]model[[else]][[.Class]][[end]]" {
    count = [[len .Peers]]

    network {
[[- if not .Model]]
      port "peer" {
        to = [[.PeerPort]]
        #static = [[.PeerPort]] # where others dial these peers
      }
[[- end]]
      port "http" {
        to = [[.HTTPPort]]
      }
    }
[[- if not .Model]]

    volume "state" {
      type      = "host"
      source    = "[[.Name]]"
      per_alloc = true
    }
[[- end]]

    task "[[if .Model]]model[[else]]peer[[end]]" {
      driver       = "docker"
      kill_timeout = "30s"

      config {
        image           = [[json .Image]]
        args            = [[if .Model]][[json .Args]][[else]]["-config", "${NOMAD_SECRETS_DIR}/config.json"][[end]]
        ports           = [[if .Model]]["http"][[else]]["peer", "http"][[end]]
        readonly_rootfs = true
        cap_drop        = ["all"]
        security_opt    = ["no-new-privileges"]
      }
[[- if not .Model]]

      volume_mount {
        volume      = "state"
        destination = "[[.Volume]]"
      }

      template {
        destination = "${NOMAD_SECRETS_DIR}/config.json"
        data        = <<EOT
{{ with nomadVar "nomad/jobs/[[.Program]]/[[.Class]]" }}{{ index . (print "peer" (env "NOMAD_ALLOC_INDEX")) }}{{ end }}
EOT
      }
[[- end]]

      service {
        name     = "[[.Name]]"
        port     = "http"
        provider = "nomad"

        check {
          type     = "http"
          path     = "/healthz"
          interval = "20s"
          timeout  = "5s"
        }
      }

      resources {
        cpu    = 500
        memory = 512
      }
    }
  }
[[- end]]
}

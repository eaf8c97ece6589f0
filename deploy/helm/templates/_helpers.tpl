{{- define "florin.name" -}}
{{- if contains "florin" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-florin" (.Release.Name | trunc 33 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "florin.labels" -}}
app.kubernetes.io/name: florin
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "florin-%s" .Chart.Version }}
{{- end }}

{{/* Called with the root and a component: node, migration, job, test. */}}
{{- define "florin.selector" -}}
app.kubernetes.io/name: florin
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "florin.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}{{ end }}
{{- end }}

{{- define "florin.cluster" -}}
{{- default (printf "%s-database" (include "florin.name" .)) .Values.database.cluster.name }}
{{- end }}

{{/* The path of the public address, without a slash at its end. */}}
{{- define "florin.path" -}}
{{- trimSuffix "/" (urlParse .Values.publicUrl).path }}
{{- end }}

{{- define "florin.host" -}}
{{- regexReplaceAll ":[0-9]+$" (urlParse .Values.publicUrl).host "" }}
{{- end }}

{{/* Of every pod. It talks to no API of Kubernetes. */}}
{{- define "florin.podSecurity" -}}
automountServiceAccountToken: false
# A Service called app would set variables that begin with APP_, which Florin refuses as unknown settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "florin.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Where the database is. What is secret stays in Secrets: Kubernetes puts it into the variables. */}}
{{- define "florin.databaseSettings" -}}
{{- if eq .Values.database.kind "external" }}
{{- with .Values.database.external }}
- name: APP_DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key }} } }
{{- if .directKey }}
- name: APP_DATABASE_DIRECT_URL
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .directKey }} } }
{{- end }}
{{- if .replicaKey }}
- name: APP_DATABASE_REPLICA_URL
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .replicaKey }} } }
{{- end }}
{{- end }}
{{- else }}
{{- $cluster := include "florin.cluster" . }}
{{- $account := "$(DATABASE_ACCOUNT):$(DATABASE_PASSWORD)" }}
{{- $options := "sslmode=verify-full&sslrootcert=/etc/florin/database-ca/ca.crt" }}
# CloudNativePG makes this Secret. Its password has only letters and digits.
- name: DATABASE_ACCOUNT
  valueFrom: { secretKeyRef: { name: {{ $cluster }}-app, key: username } }
- name: DATABASE_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ $cluster }}-app, key: password } }
- name: APP_DATABASE_URL
  value: {{ printf "postgres://%s@%s-rw:5432/florin?%s" $account $cluster $options | quote }}
{{- if .Values.database.cluster.readFromStandbys }}
- name: APP_DATABASE_REPLICA_URL
  value: {{ printf "postgres://%s@%s-ro:5432/florin?%s" $account $cluster $options | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "florin.databaseCa" -}}
{{- if eq .Values.database.kind "external" }}{{ .Values.database.external.caSecret }}
{{- else }}{{ include "florin.cluster" . }}-ca{{ end }}
{{- end }}

{{- define "florin.settings" -}}
{{- include "florin.databaseSettings" . | trim }}
- name: APP_DEPLOYMENT_MODE
  value: CLUSTER
# Volumes belong to root: Florin makes a folder that it alone can use.
- name: APP_DATA_DIR
  value: /data/florin
- name: APP_PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
{{- with .Values.trustedProxies }}
- name: APP_SERVER_TRUST_PROXY
  value: {{ join "," . | quote }}
{{- end }}
# A node takes one processor. For more, give more replicas.
- name: APP_PROCESSES
  value: "1"
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "florin.mounts" -}}
- { name: data, mountPath: /data }
- { name: temporary, mountPath: /tmp }
{{- if include "florin.databaseCa" . }}
- { name: database-ca, mountPath: /etc/florin/database-ca, readOnly: true }
{{- end }}
{{- end }}

{{/* Only the certificate: the Secret of CloudNativePG has the key of the authority too. */}}
{{- define "florin.databaseCaVolume" -}}
{{- with include "florin.databaseCa" . }}
- name: database-ca
  secret:
    secretName: {{ . }}
    items: [{ key: ca.crt, path: ca.crt }]
{{- end }}
{{- end }}

{{- define "florin.volumes" -}}
- name: data
  emptyDir: { sizeLimit: 64Mi }
- name: temporary
  emptyDir: { sizeLimit: 256Mi }
{{- with include "florin.databaseCaVolume" . }}
{{ . | trim }}
{{- end }}
{{- end }}

{{/* What the schema of the values cannot say. */}}
{{- define "florin.check" -}}
{{- $values := .Values }}
{{- $isReached := or $values.httpRoute.enabled $values.ingress.enabled }}
{{- if and $isReached (not $values.trustedProxies) }}
{{- fail "trustedProxies is missing: the networks of the gateway's or ingress controller's pods, such as 10.244.0.0/16." }}
{{- end }}
{{- if and $isReached $values.networkPolicy.enabled (not $values.networkPolicy.callers) }}
{{- fail "networkPolicy.callers is missing: the pods of the gateway or ingress controller, which send the requests." }}
{{- end }}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) }}
{{- fail "httpRoute.parentRefs is missing: the gateway." }}
{{- end }}
{{- if eq $values.database.kind "external" }}
{{- if not $values.database.external.secret }}
{{- fail "database.external.secret is missing: the Secret with the address of the database." }}
{{- end }}
{{- if and $values.networkPolicy.enabled (not $values.networkPolicy.database) }}
{{- fail "networkPolicy.database is missing: where the database is." }}
{{- end }}
{{- else }}
{{- include "florin.checkCluster" . }}
{{- end }}
{{- end }}

{{- define "florin.checkCluster" -}}
{{- $cluster := .Values.database.cluster }}
{{- if not $cluster.backup.method }}
{{- fail "database.cluster.backup.method is missing: objectStore, plugin or, without any backup, none." }}
{{- end }}
{{- if and (eq $cluster.backup.method "objectStore") (not $cluster.backup.objectStore) }}
{{- fail "database.cluster.backup.objectStore is missing: where CloudNativePG keeps the backups." }}
{{- end }}
{{- if and (eq $cluster.backup.method "plugin") (not $cluster.backup.plugin) }}
{{- fail "database.cluster.backup.plugin is missing: the name of the ObjectStore." }}
{{- end }}
{{- if and $cluster.recovery.from (eq $cluster.backup.method "none") }}
{{- fail "database.cluster.recovery needs database.cluster.backup, which says where the backups are." }}
{{- end }}
{{- if eq $cluster.recovery.from (include "florin.cluster" .) }}
{{- fail "database.cluster.recovery.from is the name of this Cluster: give the new one another name." }}
{{- end }}
{{/* During an upgrade there is one node more. Each has 16 connections beside those for requests (docs/guides/operations.md). */}}
{{- $ofNode := add 16 (int (default "10" (index .Values.settings "APP_DATABASE_CONNECTIONS"))) }}
{{- $needed := add 20 (mul $ofNode (add 1 .Values.replicas)) }}
{{- $allowed := int (default "200" (index $cluster.parameters "max_connections")) }}
{{- if gt $needed (int64 $allowed) }}
{{- fail (printf "database.cluster.parameters.max_connections is %d: %d replicas need %d." $allowed (int .Values.replicas) $needed) }}
{{- end }}
{{- end }}

// What the tests use of oidc-provider, which brings no types.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface Token {
    accountId: string;
    grantId: string;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    on(event: string, listener: (context: { oidc: { params: Record<string, string> } }) => void): this;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ params: { client_id: string; resource?: string } }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    AccessToken: {
      find(value: string): Promise<Token | undefined>;
      revokeByGrantId(grantId: string): Promise<void>;
    };
    RefreshToken: { revokeByGrantId(grantId: string): Promise<void> };
    Grant: new (init: { accountId: string; clientId: string }) => {
      addOIDCScope(scope: string): void;
      addResourceScope(resource: string, scope: string): void;
      save(): Promise<string>;
    };
  }
}
